//! An entry of the decision log as it is stored: what all stubs say alike is left out of their texts.
//!
//! The state grows with every stub, and a third of a stub is its mark and the words around its handle, which
//! the entry names anyway. What is read is byte for byte what was written.

use serde::{Deserialize, Serialize};

use super::relieve::stub::{PREFIX, returns_it};
use super::state::{Edit, Entry, Loss};

/// An entry in its stored form; field names are those of [`Entry`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Written {
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    redacted: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    handle: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    capped: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    clamped: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    edit: Option<WrittenEdit>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    of: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum WrittenEdit {
    Stub(Short),
    Whole(Edit),
}

/// A stub whose text begins and ends as those with a handle do.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Short {
    /// What stands between.
    stub: String,
    tokens: u32,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    dedupe: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    newer: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    loss: Option<Loss>,
}

impl From<Entry> for Written {
    fn from(entry: Entry) -> Self {
        let Entry { redacted, handle, capped, clamped, edit, of } = entry;
        let edit = edit.map(|edit| match shortened(&edit, handle.as_deref()) {
            Some(short) => WrittenEdit::Stub(short),
            None => WrittenEdit::Whole(edit),
        });
        Written { redacted, handle, capped, clamped, edit, of }
    }
}

impl From<Written> for Entry {
    fn from(written: Written) -> Self {
        let Written { redacted, handle, capped, clamped, edit, of } = written;
        let edit = edit.map(|edit| match edit {
            WrittenEdit::Whole(edit) => edit,
            WrittenEdit::Stub(Short { stub, tokens, dedupe, newer, loss }) => {
                let text = format!("{PREFIX}{stub}{}", returns_it(handle.as_deref().unwrap_or_default(), None));
                Edit::Stub { text, tokens, dedupe, newer, loss }
            }
        });
        Entry { redacted, handle, capped, clamped, edit, of }
    }
}

fn shortened(edit: &Edit, handle: Option<&str>) -> Option<Short> {
    let Edit::Stub { text, tokens, dedupe, newer, loss } = edit else { return None };
    let stub = text.strip_prefix(PREFIX)?.strip_suffix(returns_it(handle?, None).as_str())?;
    Some(Short { stub: stub.to_owned(), tokens: *tokens, dedupe: *dedupe, newer: newer.clone(), loss: *loss })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stub(text: &str, handle: Option<&str>) -> Entry {
        let edit = Edit::Stub { text: text.into(), tokens: 9, dedupe: false, newer: None, loss: None };
        Entry { handle: handle.map(str::to_owned), edit: Some(edit), ..Entry::default() }
    }

    #[test]
    fn every_stub_is_read_as_it_was_written() {
        let usual = "[context-cleared] read: ok [read_tool_output({ id: \"call \\\"7\" }) returns it]";
        for (text, handle, short) in [
            (usual, Some("call \"7"), true),
            // A page of another output, an image, an output that was not stored.
            ("[context-cleared] read: ok [read_tool_output({ id: \"c1\", offset: 20 }) returns it]", Some("c1"), false),
            ("[image left out]", Some("media:3.0"), false),
            ("[context-cleared] read: ok [not stored; run the tool again if you need it]", None, false),
        ] {
            let entry = stub(text, handle);
            let json = serde_json::to_string(&entry).expect("json");
            assert_eq!(json.contains("context-cleared") || json.contains("left out"), !short, "{json}");
            assert_eq!(serde_json::from_str::<Entry>(&json).expect("an entry"), entry);
        }
        // As it was stored before.
        let whole = r#"{"handle":"c1","edit":{"kind":"stub","text":"[context-cleared] read: ok","tokens":9}}"#;
        assert_eq!(serde_json::from_str::<Entry>(whole).expect("an entry"), stub("[context-cleared] read: ok", Some("c1")));
    }
}
