//! A history to be judged, not managed: no texts cross, only whether they are there.

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::core_rows::{part_kind, role_of};
use super::value::{js_error, json};
use crate::core::measure::meter::Measure;
use crate::core::transcript::{Caller, Flags, Part, Row, Transcript};
use crate::formats::{self, Phase, Wire};

/// Rows pushed in order, then judged or repaired.
#[wasm_bindgen]
pub struct History {
    wire: &'static Wire,
    transcript: Transcript,
    row: Option<Row>,
}

#[wasm_bindgen]
impl History {
    /// An empty history in a format.
    #[wasm_bindgen(constructor)]
    pub fn new(format: &str) -> Result<History, JsValue> {
        let wire = formats::by_name(format).map_err(|e| js_error(&e))?;
        let mut transcript = Transcript::default();
        transcript.set_items(wire.profile.items);
        Ok(History { wire, transcript, row: None })
    }

    /// Opens a row: 0 system, 1 user, 2 assistant, 3 tool.
    pub fn row(&mut self, role: u32) {
        self.close();
        self.row = Some(Row::new(role_of(role), None, Vec::new()));
    }

    /// A part of the open row; `blank` says that its text is empty or white space.
    pub fn part(&mut self, kind: u32, flags: u32, blank: bool, empty: bool, media: bool) {
        self.push("", "", kind, flags, (blank, empty, media));
    }

    /// One with an id and a name, which come as one string with a NUL between.
    pub fn named(&mut self, names: &str, kind: u32, flags: u32, blank: bool, empty: bool, media: bool) {
        let (id, name) = names.rsplit_once('\0').unwrap_or((names, ""));
        self.push(id, name, kind, flags, (blank, empty, media));
    }

    /// The next part of the open row is a call that code makes, run by the call with this id.
    pub fn caller(&mut self, id: &str) {
        let part = self.row.as_ref().map_or(0, |r| r.parts.len());
        self.transcript.set_caller(Caller { row: self.transcript.len(), part, caller: id.into() });
    }

    /// Everything a provider would complain about, as JSON text; `request`: the list is sent as it is.
    pub fn validate(&mut self, request: bool) -> String {
        self.close();
        self.transcript.settle_index();
        json(&formats::validate(&self.transcript, self.wire, if request { Phase::Request } else { Phase::Stored }))
    }

    /// The rows repaired, as JSON text.
    pub fn repair(&mut self) -> String {
        self.close();
        self.transcript.settle_index();
        json(&formats::repair(&self.transcript, self.wire))
    }
}

impl History {
    fn push(&mut self, id: &str, name: &str, kind: u32, flags: u32, (blank, empty, media): (bool, bool, bool)) {
        let measure = Measure { blank, len: u32::from(!empty), ..Measure::default() };
        let part = Part {
            kind: part_kind(kind),
            flags: Flags(flags),
            id: id.into(),
            name: name.into(),
            target: "".into(),
            measure,
            media_tokens: u32::from(media),
            stand_in: None,
        };
        if let Some(row) = &mut self.row {
            row.parts.push(part);
        }
    }

    fn close(&mut self) {
        if let Some(row) = self.row.take() {
            self.transcript.push_row(row);
        }
    }
}
