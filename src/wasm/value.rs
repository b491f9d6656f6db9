//! Values in and out: the only uses of serde-wasm-bindgen, and the making of JavaScript errors.

use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast, JsValue};

use crate::core::error::Error;
use crate::driver::Failure;

/// Reads a plain value; the sentence names what it was to be.
pub(super) fn from_js<T: DeserializeOwned>(value: JsValue, what: &str) -> Result<T, Error> {
    serde_wasm_bindgen::from_value(value).map_err(|e| Error::bad_input(format!("`{what}` is not understood: {e}")))
}

/// Writes a plain object: no `Map`, absent fields stay absent.
pub(super) fn to_js<T: Serialize>(value: &T) -> Result<JsValue, JsValue> {
    value.serialize(&serde_wasm_bindgen::Serializer::json_compatible()).map_err(|e| js_sys::Error::new(&e.to_string()).into())
}

/// Long lists cross as JSON text: many small objects made one by one cost more than one parse.
pub(super) fn json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// An `Error` with `name` and `code`.
pub(super) fn js_error(error: &Error) -> JsValue {
    let js = js_sys::Error::new(&error.message);
    js.set_name("CascadeError");
    let _ = js_sys::Reflect::set(&js, &"code".into(), &error.code.as_str().into());
    for (name, value) in &error.fields {
        if let Ok(value) = to_js(value) {
            let _ = js_sys::Reflect::set(&js, &name.into(), &value);
        }
    }
    js.unchecked_into()
}

/// Ours as an error of ours, the host's as the very object it threw.
pub(super) fn js_failure(failure: Failure<JsValue>) -> JsValue {
    match failure {
        Failure::Ours(error) => js_error(&error),
        Failure::Host(value) => value,
    }
}
