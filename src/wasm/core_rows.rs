//! Rows and frame on their way in: each is opened, its texts pass through the window, each text ends as a part of it.
//!
//! What is being put together is kept beside the conversation until it ends; a row that is never ended is none.

use std::cell::RefCell;

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::core::Core;
use super::value::js_error;
use crate::core::frame::{Frame, FrameItem, Slot};
use crate::core::measure::meter::Measure;
use crate::core::measure::names::Names;
use crate::core::transcript::{Caller, Flags, Media, Part, PartKind, Role, Row};
use crate::formats;

/// What is being put together.
#[derive(Default)]
pub(super) struct Incoming {
    row: RefCell<Option<Row>>,
    callers: RefCell<Vec<(usize, Box<str>)>>,
    media: RefCell<Vec<Media>>,
    frame: RefCell<Vec<FrameItem>>,
}

#[wasm_bindgen]
impl Core {
    /// Address of the window in wasm memory.
    #[wasm_bindgen(js_name = windowPtr)]
    pub fn window_ptr(&self) -> usize {
        self.projector.borrow().window().0
    }

    /// Its size in bytes.
    #[wasm_bindgen(js_name = windowLen)]
    pub fn window_len(&self) -> usize {
        self.projector.borrow().window().1
    }

    /// Takes `n` bytes of the window as the next piece of the running text.
    pub fn feed(&self, n: usize) {
        self.projector.borrow_mut().feed(n);
    }

    /// Ends the running text and says what it weighs.
    #[wasm_bindgen(js_name = weigh)]
    pub fn weigh(&self) -> u32 {
        let measure: Measure = self.projector.borrow_mut().finish();
        measure.tokens
    }

    /// Forgets rows from `len` on.
    pub fn rewind(&self, len: usize) {
        self.driver.with(|s| s.rewind_rows(len));
    }

    /// Number of rows the core holds.
    pub fn rows(&self) -> usize {
        self.driver.with(|s| s.transcript.len())
    }

    /// Says which format the rows are in; before the first row.
    #[wasm_bindgen(js_name = setFormat)]
    pub fn set_format(&self, name: &str) -> Result<(), JsValue> {
        let wire = formats::by_name(name).map_err(|e| js_error(&e))?;
        self.driver.with(|s| s.set_profile(wire.profile));
        Ok(())
    }

    /// Opens a row: 0 system, 1 user, 2 assistant, 3 tool; a negative position means none. `message` is the
    /// position of the message that became this row and others.
    pub fn row(&self, role: u32, position: f64, message: f64) {
        let role = role_of(role);
        let stored = |position: f64| (position >= 0.0).then_some(position as u64);
        *self.incoming.row.borrow_mut() = Some(Row { role, position: stored(position), message: stored(message), parts: Vec::new(), gone: None });
    }

    /// The next part of the open row is a call that code makes, run by the call with this id.
    pub fn caller(&self, id: &str) {
        let part = self.incoming.row.borrow().as_ref().map_or(0, |r| r.parts.len());
        self.incoming.callers.borrow_mut().push((part, id.into()));
    }

    /// The next part of the open row holds `count` images and files of `chars` characters, the longest of `longest`.
    pub fn media(&self, count: u32, chars: f64, longest: f64) {
        let part = self.incoming.row.borrow().as_ref().map_or(0, |r| r.parts.len());
        self.incoming.media.borrow_mut().push(Media { row: 0, part, count, chars: chars as u64, longest: longest as u64 });
    }

    /// Ends the running text as a part of the newest row.
    pub fn part(&self, kind: u32, flags: u32, id: &str, name: &str, target: &str, media: f64) {
        let measure = self.projector.borrow_mut().finish();
        let media_tokens = self.media_tokens(media);
        let part =
            Part { kind: part_kind(kind), flags: Flags(flags), id: id.into(), name: name.into(), target: target.into(), measure, media_tokens, stand_in: None };
        if let Some(row) = self.incoming.row.borrow_mut().as_mut() {
            row.parts.push(part);
        }
    }

    /// Ends the open row as row `at` of the list: the same content stays as it is, other content replaces
    /// everything from there on.
    #[wasm_bindgen(js_name = endRow)]
    pub fn end_row(&self, at: usize) {
        if let Some(row) = self.incoming.row.take() {
            let callers = self.incoming.callers.take();
            let media: Vec<Media> = self.incoming.media.take().into_iter().map(|m| Media { row: at, ..m }).collect();
            self.driver.with(|s| {
                // Other images beside the same texts are another row.
                if s.transcript.media_in(at) != media {
                    s.rewind_rows(at);
                }
                s.put_row(at, row);
                callers.into_iter().for_each(|(part, caller)| s.transcript.set_caller(Caller { row: at, part, caller }));
                media.into_iter().for_each(|m| s.transcript.set_media(m));
            });
        }
    }

    /// Gives a row the position it had not yet.
    #[wasm_bindgen(js_name = setPosition)]
    pub fn set_position(&self, row: usize, position: f64) {
        self.driver.with(|s| s.transcript.set_position(row, (position >= 0.0).then_some(position as u64)));
    }

    /// The host passes `n` covered rows from `from` on no more; false when they are not covered.
    #[wasm_bindgen(js_name = dropCovered)]
    pub fn drop_covered(&self, from: usize, n: usize) -> bool {
        self.driver.with(|s| s.drop_covered(from, n))
    }

    /// Ends the running text as a piece of the frame: 0 system, 1 index, 2 tool, 3 deferred, 4 context.
    #[wasm_bindgen(js_name = framePart)]
    pub fn frame_part(&self, slot: u32, label: &str, source: &str, text: &str) {
        let measure = Measure { names: Names::default(), ..self.projector.borrow_mut().finish() };
        self.incoming.frame.borrow_mut().push(FrameItem {
            slot: Slot::from_code(slot),
            label: label.into(),
            source: source.into(),
            measure,
            text: text.into(),
        });
    }

    /// Ends the running text as a piece that the provider adds, with `tokens` of its own beside the text.
    #[wasm_bindgen(js_name = frameConstant)]
    pub fn frame_constant(&self, slot: u32, label: &str, source: &str, tokens: f64) {
        let mut measure = self.projector.borrow_mut().finish();
        let own = self.driver.with(|s| s.constants().counted(tokens.abs()));
        measure.tokens = if tokens < 0.0 { measure.tokens.saturating_sub(own) } else { measure.tokens + own };
        measure.hash ^= u128::from(tokens.to_bits());
        measure.bytes = 0;
        self.incoming.frame.borrow_mut().push(FrameItem { slot: Slot::from_code(slot), label: label.into(), source: source.into(), measure, text: "".into() });
    }

    /// Takes the pieces pushed since as the frame.
    #[wasm_bindgen(js_name = setFrame)]
    pub fn set_frame(&self) {
        let items = self.incoming.frame.take();
        self.driver.with(|s| s.frame = Frame { items });
    }

    /// The session context is captured again at the next `next`.
    #[wasm_bindgen(js_name = recaptureContext)]
    pub fn recapture_context(&self) {
        self.driver.with(|s| s.capture_context(true));
    }
}

impl Core {
    fn media_tokens(&self, media: f64) -> u32 {
        // A negative number counts media of unknown size; the configuration prices them.
        let unknown = self.driver.with(|s| s.config.media.image_tokens);
        if media < 0.0 { unknown.saturating_mul((-media) as u32) } else { media as u32 }
    }
}

pub(super) fn role_of(code: u32) -> Role {
    match code {
        0 => Role::System,
        1 => Role::User,
        2 => Role::Assistant,
        _ => Role::Tool,
    }
}

pub(super) fn part_kind(code: u32) -> PartKind {
    match code {
        0 => PartKind::Text,
        1 => PartKind::Reasoning,
        2 => PartKind::Call,
        3 => PartKind::Result,
        4 => PartKind::Media,
        5 => PartKind::ApprovalRequest,
        6 => PartKind::ApprovalResponse,
        7 => PartKind::Compaction,
        _ => PartKind::Opaque,
    }
}
