//! The model as the host names it.

use serde::Deserialize;

use crate::core::error::Error;
use crate::core::measure::family::Family;
use crate::core::measure::thresholds::{ASSUMED_WINDOW, Model, WindowSource};

/// What crosses: the package has looked the name up in its table already.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ModelInput {
    id: String,
    provider: Option<String>,
    window: Option<f64>,
    max_output: Option<f64>,
    assumed_window: Option<f64>,
    #[serde(default)]
    from_table: bool,
    #[serde(default)]
    pub(super) family: Family,
}

impl ModelInput {
    pub(super) fn read(self) -> Result<Model, Error> {
        let window = whole("model.window", self.window)?;
        let assumed = whole("model.assumedWindow", self.assumed_window)?;
        let (window, source) = match (window, assumed) {
            (Some(w), _) if self.from_table => (w, WindowSource::Table),
            (Some(w), _) => (w, WindowSource::Host),
            (None, Some(w)) => (w, WindowSource::Assumed),
            (None, None) => (ASSUMED_WINDOW, WindowSource::Assumed),
        };
        if window == 0 {
            return Err(Error::bad_input("`model.window` must be at least 1 token"));
        }
        Ok(Model { id: self.id, provider: self.provider, window, source, max_output: whole("model.maxOutput", self.max_output)? })
    }
}

fn whole(name: &str, n: Option<f64>) -> Result<Option<u32>, Error> {
    match n {
        None => Ok(None),
        Some(n) if n.fract() == 0.0 && (0.0..2_147_483_648.0).contains(&n) => Ok(Some(n as u32)),
        Some(_) => Err(Error::bad_input(format!("`{name}` must be a whole number of tokens below 2^31"))),
    }
}
