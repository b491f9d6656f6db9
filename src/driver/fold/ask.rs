//! The briefing, asked of the host's summarizer over as many requests as its window needs.
//!
//! Decides how the rows are parted and how much room each request has. What an answer is worth is the judge's.

use super::super::host::Host;
use super::super::{Driver, Failure};
use super::Prepared;
use crate::core::fold::briefing::{bound, settle};
use crate::core::fold::judge::{Answer, judge, warnings};
use crate::core::fold::request::{ANSWER_TOKENS, Brief, SummarizeRequest, Told, chunks, request};

/// Requests of one fold, at most: a span that needs more is not swept for hours, the fold is declined.
const MOST_CHUNKS: usize = 64;

impl<H: Host> Driver<H> {
    /// The briefing, over as many requests as the summarizer's window needs.
    pub(super) async fn ask(&self, prepared: &Prepared) -> Result<Result<(String, Vec<&'static str>), &'static str>, Failure<H::Error>> {
        let (window, reflect) = self.with(|s| (s.config.summarize.window.unwrap_or(s.model.window), s.config.summarize.reflect_tokens));
        // A provider's limits bind the summarizer's requests, too: what fills one of them fills the window.
        let weigh = |text: &str| self.with(|s| s.weigh(text).max(s.config.limits.share_of(text, window)));
        let mut brief = prepared.brief.clone();
        let mut running = brief.previous.clone();
        // Frames, headings and instructions need room besides the rows; so does the answer.
        let fixed = weigh(&request(&Brief { tail: Vec::new(), ..brief.clone() }, "chunk", running.as_deref(), &[], false).system) + 300;
        let answer = ANSWER_TOKENS.min(window / 4);
        let room = window.saturating_sub(fixed + answer + running.as_deref().map_or(0, weigh));
        let tail_room = room / 4;
        while brief.tail.iter().map(|t| t.tokens.max(weigh(&t.text))).sum::<u32>() > tail_room && !brief.tail.is_empty() {
            brief.tail.remove(0);
        }
        let tail: u32 = brief.tail.iter().map(|t| t.tokens.max(weigh(&t.text))).sum();
        // Escaping and joining may lengthen a text a little; a tenth is kept free for it.
        let budget = (room.saturating_sub(tail) / 10 * 9).max(200);
        let covered = prepared.covered.iter().map(|t| Told { tokens: t.tokens.max(weigh(&t.text)), ..t.clone() });
        let pieces = chunks(covered.collect(), budget, &weigh);
        // Nobody was asked, so it is no failure of the summarizer's.
        if pieces.len() > MOST_CHUNKS {
            return Ok(Err("unavailable"));
        }
        let count = pieces.len();
        let mut odd = Vec::new();
        for (i, piece) in pieces.iter().enumerate() {
            let kind = match (count, &running) {
                (1, None) => "fold",
                (1, Some(_)) => "merge",
                _ => "chunk",
            };
            let ask = request(&brief, kind, running.as_deref(), piece, i + 1 == count);
            match self.answer(&ask).await? {
                Ok(text) => {
                    let sources = [ask.covered.as_str(), ask.tail.as_str(), running.as_deref().unwrap_or("")];
                    odd = warnings(&text, &sources);
                    running = Some(settle(&text));
                }
                Err(why) => return Ok(Err(why)),
            }
        }
        let Some(text) = running else { return Ok(Err("nothing_covered")) };
        if weigh(&text) <= reflect {
            return Ok(Ok((text, odd)));
        }
        // Condensing is a nicety: a briefing that could not be condensed is cut to size by rule. Left as it is, it
        // would grow with every fold.
        let ask = request(&brief, "reflect", Some(&text), &[], false);
        let short = match self.answer(&ask).await? {
            Ok(short) if weigh(&short) < weigh(&text) => settle(&short),
            _ => text,
        };
        Ok(Ok((bound(&short, reflect, &weigh), odd)))
    }

    async fn answer(&self, ask: &SummarizeRequest) -> Result<Result<String, &'static str>, Failure<H::Error>> {
        let answer: Answer = match self.host.summarize(ask).await {
            Ok(answer) => answer,
            Err(error) if self.host.cancelled() => return Err(Failure::Host(error)),
            Err(_) => return Ok(Err("summarizer_failed")),
        };
        Ok(judge(&answer).map(|()| answer.text))
    }
}
