//! What the host sets between two calls: configuration, model, pins, topics, deferred tools.
//!
//! A patch is decoded before the session is borrowed, and an error leaves everything as it was.

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::core::Core;
use super::model::ModelInput;
use super::value::{from_js, js_error};
use crate::core::config::Config;
use crate::core::error::Error;
use crate::core::measure::thresholds::Model;

#[wasm_bindgen]
impl Core {
    /// Lays a patch over the configuration; on an error nothing changes. Returns whether the rows have to
    /// be weighed again.
    pub fn configure(&self, patch: JsValue) -> Result<bool, JsValue> {
        let config = self.patched(patch)?;
        self.projector.borrow_mut().set_counter(config.estimate.counter);
        Ok(self.driver.with(|s| {
            s.set_exact(self.projector.borrow().exact());
            let recount = config.estimate.counter != s.config.estimate.counter;
            if recount {
                s.gauge.lift_anchor();
            }
            s.configure(config);
            recount
        }))
    }

    /// Takes a vocabulary that was loaded since. Returns whether the rows have to be weighed again.
    #[wasm_bindgen(js_name = takeVocabulary)]
    pub fn take_vocabulary(&self) -> bool {
        self.driver.with(|s| {
            let recount = self.projector.borrow_mut().take_vocabulary(&s.model.id);
            if recount {
                s.set_exact(self.projector.borrow().exact());
                s.gauge.lift_anchor();
            }
            recount
        })
    }

    /// Refuses what `configure` would refuse.
    #[wasm_bindgen(js_name = checkConfig)]
    pub fn check_config(&self, patch: JsValue) -> Result<(), JsValue> {
        self.patched(patch).map(|_| ())
    }

    /// Takes another model.
    #[wasm_bindgen(js_name = setModel)]
    pub fn set_model(&self, model: JsValue) -> Result<(), JsValue> {
        let input: ModelInput = from_js(model, "model").map_err(|e| js_error(&e))?;
        let family = input.family;
        let model: Model = input.read().map_err(|e| js_error(&e))?;
        self.driver.with(|s| {
            s.switch_model(model);
            s.set_family(family);
        });
        Ok(())
    }

    /// Topics of the user's messages, by position.
    #[wasm_bindgen(js_name = setOrderKeys)]
    pub fn set_order_keys(&self, keys: JsValue) -> Result<(), JsValue> {
        let keys: std::collections::BTreeMap<String, String> = from_js(keys, "orderKeys").map_err(|e| js_error(&e))?;
        self.driver.with(|s| {
            for (position, key) in keys {
                if position.parse::<u64>().is_ok() {
                    s.state.order_keys.insert(position, key);
                    s.dirty = true;
                }
            }
        });
        Ok(())
    }

    /// Positions that stay in the view whatever happens.
    #[wasm_bindgen(js_name = setPins)]
    pub fn set_pins(&self, positions: Vec<f64>) {
        self.driver.with(|s| {
            s.state.pins = positions.into_iter().filter(|p| *p >= 0.0).map(|p| p as u64).collect();
            s.dirty = true;
        });
    }

    /// Binds deferred tools for good.
    pub fn promote(&self, names: Vec<String>) {
        self.driver.with(|s| {
            for name in names {
                if !s.state.promoted.contains(&name) {
                    s.state.promoted.push(name);
                    s.dirty = true;
                }
            }
        });
    }
}

impl Core {
    fn patched(&self, patch: JsValue) -> Result<Config, JsValue> {
        // Decoded before the session is borrowed: a getter of the patch may call back in.
        let base = self.driver.with(|s| s.config.clone());
        read_config(&base, patch).map_err(|e| js_error(&e))
    }
}

/// `patch` over a configuration; nothing leaves it as it is.
pub(super) fn read_config(base: &Config, patch: JsValue) -> Result<Config, Error> {
    if patch.is_undefined() || patch.is_null() {
        return Ok(base.clone());
    }
    base.patched(&from_js(patch, "config")?)
}
