//! A result on its way to the model: redact, spill, shorten, in this order.
//!
//! The hook sees the full text once, so a secret in the part that is cut out still counts. What it
//! changed is never stored. Without a successful put no marker names a handle.

use super::host::{Gap, Host, Method};
use super::{Driver, Failure};
use crate::core::ladder::{self, Arrived};
use crate::core::measure::meter::Measure;
use crate::core::relieve::evict::Keeping;
use crate::core::relieve::readback;
use crate::core::state::{Edit, Entry, Loss};

/// Most cuts until a result has few enough tokens.
const FITTING: u32 = 6;

/// A result as the host should record it.
#[derive(Debug)]
pub struct Shortened<O> {
    /// The output; none when it is to stay as it is.
    pub output: Option<O>,
    /// Whether it was shortened.
    pub clamped: bool,
    /// The handle that reads the full text back.
    pub handle: Option<String>,
}

impl<H: Host> Driver<H> {
    /// A tool ran: what the host should record as its result.
    pub async fn result(&self, call_id: &str, tool: &str, output: H::Output) -> Result<Shortened<H::Output>, Failure<H::Error>> {
        let (handle, cap) = {
            let session = self.session.borrow();
            (session.handle_for(call_id), session.config.result_cap())
        };
        let (arrived, output) = self.arrive(tool, &handle, cap, output).await?;
        let clamped = arrived.clamped.is_some();
        let stored = arrived.stored.then(|| handle.clone());
        let entry = Entry { redacted: arrived.redacted, handle: stored.clone(), capped: arrived.capped, clamped, edit: None, of: String::new() };
        if entry != Entry::default() || self.host.has(Method::Redact) {
            self.with(|s| s.log_arrival(&handle, entry));
        }
        Ok(Shortened { output, clamped, handle: stored })
    }

    /// Redact, spill, shorten. The output comes back only when it changed.
    pub(super) async fn arrive(&self, tool: &str, handle: &str, cap: u32, output: H::Output) -> Result<(Arrived, Option<H::Output>), Failure<H::Error>> {
        let mut arrived = Arrived { cap, ..Arrived::default() };
        let mut output = output;
        if self.host.has(Method::Redact)
            && let Some(clean) = self.host.redact(tool, &output).await.map_err(Failure::Host)?
        {
            output = clean;
            arrived.redacted = true;
        }
        let measured = self.host.measure(&output);
        arrived.clamped = arrived.redacted.then(|| measured.clone());
        let cap = self.with(|s| s.config.cap_for(cap, &measured));
        if measured.len > cap {
            let keeping = self.keeping();
            let loss = match (arrived.redacted, keeping) {
                (true, _) => Some(Loss::Redacted),
                // A page of a stored text is not stored again; the tool returns it any time.
                _ if tool == readback::TOOL => Some(Loss::NoStore),
                (false, Keeping::Nowhere(loss)) => Some(loss),
                (false, Keeping::Store) => match self.spill(handle, &output).await {
                    Ok(capped) => {
                        arrived.stored = true;
                        arrived.capped = capped;
                        capped.then_some(Loss::OverCap)
                    }
                    Err(_) => match self.host.cancel_reason() {
                        Some(reason) => return Err(Failure::Host(reason)),
                        None => Some(Loss::NoStore),
                    },
                },
            };
            let gap = Gap { handle: arrived.stored.then_some(handle), loss, media: false };
            let (short, measured, cap) = self.fitted(&output, cap, gap);
            (arrived.clamped, arrived.cap) = (Some(measured), cap);
            output = short;
        }
        let changed = arrived.clamped.is_some();
        Ok((arrived, changed.then_some(output)))
    }

    /// The output at this length or, where that is still too many tokens, shorter: the marker and the texture of what is
    /// left make it more or fewer tokens than in proportion.
    fn fitted(&self, output: &H::Output, mut cap: u32, gap: Gap<'_>) -> (H::Output, Measure, u32) {
        let most = self.with(|s| s.config.tool_output.max_tokens).unwrap_or(u32::MAX);
        let mut tries = FITTING;
        loop {
            let short = self.host.shorten(output, cap, gap);
            let measured = self.host.measure(&short);
            tries -= 1;
            if measured.tokens <= most || tries == 0 {
                return (short, measured, cap);
            }
            cap = (u64::from(cap) * u64::from(most) / u64::from(measured.tokens)) as u32;
        }
    }

    /// Whether full texts can be kept. The host is asked first: it may look back in.
    pub(super) fn keeping(&self) -> Keeping {
        let has_store = self.host.has(Method::Raw);
        self.with(|s| ladder::keeping(&s.config.tool_output, has_store))
    }

    /// Stores a full text unless the store has it; a shortened copy must never replace it. Where ids repeat, a step that came
    /// to nothing may have left the text of another call under a handle that is free again.
    pub(super) async fn spill(&self, handle: &str, output: &H::Output) -> Result<bool, H::Error> {
        if self.host.raw_has(handle).await? && (!self.with(|s| s.transcript.index().ids_repeat()) || self.host.raw_is(handle, output).await?) {
            return Ok(false);
        }
        let cap = self.with(|s| s.config.tool_output.raw_cap_bytes);
        self.host.raw_put(handle, output, cap).await
    }

    /// Whether a call's view needs the redact hook again, after a restart.
    pub fn is_redacted(&self, handle: &str) -> bool {
        self.with(|s| {
            let entry = s.transcript.index().by_handle(handle).and_then(|c| s.state.entries.get(&c.key()));
            entry.is_some_and(|e| e.redacted && matches!(e.edit, Some(Edit::Clamp { .. })))
        })
    }
}
