//! The fold as a transaction: plan, ask, judge, fetch authority, render, weigh, commit, apply.
//!
//! Any failure before the commit leaves history as it was. A result that comes late lands only on the
//! rows it was made from. A commit whose outcome is not known is looked up, never repeated blindly.

use super::host::{Commit, Host, Method, Place};
use super::{Driver, Failure};
use crate::core::event::Event;
use crate::core::fold::apply::{self, Put};
use crate::core::fold::briefing::{bound, settle};
use crate::core::fold::judge::{Answer, judge, warnings};
use crate::core::fold::plan::{self, FoldPlan, Reason};
use crate::core::fold::request::{ANSWER_TOKENS, Brief, CLIP_CHARS, Told, chunks, request};
use crate::core::restore::authority::Authority;
use crate::core::transcript::{Flags, PartKind, Role};
use crate::core::view::{Fold, Order};

/// A planned fold with everything the summarizer will read: the rows themselves are not needed again.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The plan.
    pub plan: FoldPlan,
    brief: Brief,
    covered: Vec<Told>,
    users: Vec<Order>,
    authority_in_head: bool,
}

/// How a fold ended.
#[derive(Clone, Debug, PartialEq)]
pub enum FoldEnd {
    /// It is in force; these were the host's rules.
    Done(Authority),
    /// It is not, for this reason.
    Declined(&'static str),
}

/// Requests of one fold, at most: a span that needs more is not swept for hours, the fold is declined.
const MOST_CHUNKS: usize = 64;

impl<H: Host> Driver<H> {
    /// Plans a fold of the running call's list and tells it as text.
    pub(super) fn prepare(&self, reason: Reason, focus: Option<&str>, authority_in_head: bool) -> Result<Prepared, &'static str> {
        if !self.host.has(Method::Summarize) {
            return Err("unavailable");
        }
        let plan = self.with(|s| plan::plan(s, reason))?;
        Ok(self.prepare_from(plan, focus, authority_in_head))
    }

    /// Tells the rows of a plan as text.
    pub(super) fn prepare_from(&self, plan: FoldPlan, focus: Option<&str>, authority_in_head: bool) -> Prepared {
        self.capture_span(&plan);
        let (covered, tail, users, previous) = self.tell(&plan);
        let preserve = focus.map(str::to_owned).into_iter().collect();
        let kept = self.with(|s| s.transcript.rows().iter().filter(|r| !r.is_hidden() && r.key_position().is_none_or(|p| p > plan.covered)).count());
        let brief = Brief { reason: plan.reason.as_str().to_owned(), tokens: plan.tokens, preserve, previous, tail, kept };
        Prepared { plan, brief, covered, users, authority_in_head }
    }

    /// Rows of a plan as text: what is covered, what stays and was read, who said what.
    fn tell(&self, plan: &FoldPlan) -> (Vec<Told>, Vec<Told>, Vec<Order>, Option<String>) {
        let session = self.session.borrow();
        let unread = session.transcript.first_unread();
        let (mut covered, mut tail, mut users) = (Vec::new(), Vec::new(), Vec::new());
        let mut below = true;
        for (at, row) in session.transcript.rows().iter().enumerate().skip(session.transcript.leading()) {
            if row.is_blank() {
                continue;
            }
            if let Some(p) = row.key_position() {
                if plan.boundary.is_some_and(|b| p <= b) {
                    continue;
                }
                below = p <= plan.covered;
            }
            let told = self.tell_row(&session, at);
            if below {
                if row.is_real_user()
                    && let Some(position) = row.key_position()
                {
                    let text = self.user_text(row, at);
                    users.push(Order { position, key: None, text });
                }
                covered.push(told);
            } else if at < unread {
                tail.push(told);
            }
        }
        let previous = session.state.fold().map(|f| f.summary.clone());
        (covered, tail, users, previous)
    }

    pub(super) fn user_text(&self, row: &crate::core::transcript::Row, at: usize) -> String {
        let texts = row.parts.iter().enumerate().filter(|(_, p)| p.kind == PartKind::Text && !p.measure.blank);
        texts.map(|(i, _)| self.host.excerpt(Place { row: at, part: i }, None, None)).collect::<Vec<_>>().join("\n\n")
    }

    fn tell_row(&self, session: &crate::core::session::Session, at: usize) -> Told {
        let Some(row) = session.transcript.row(at) else { return Told { text: String::new(), tokens: 0, starts: false } };
        let who = match row.role {
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
            Role::System => "system",
        };
        let mut out = row.position.map_or_else(|| format!("[{who}]"), |p| format!("[{who}, row {p}]"));
        for (i, part) in row.parts.iter().enumerate() {
            let place = Place { row: at, part: i };
            let line = match part.kind {
                PartKind::Text => self.host.excerpt(place, None, None),
                PartKind::Reasoning => continue,
                // A provider's own summary of what stood before it: readable, or no cut is legal behind it.
                PartKind::Compaction if part.measure.blank || part.flags.has(Flags::SEALED) => continue,
                PartKind::Compaction => self.host.excerpt(place, None, None),
                PartKind::Call => format!("call {} {} {}", part.name, part.id, self.host.excerpt(place, Some(CLIP_CHARS), None)),
                PartKind::Result => self.tell_result(session, place),
                PartKind::Media => format!("[{} attached]", if part.name.is_empty() { "file" } else { &part.name }),
                PartKind::ApprovalRequest | PartKind::ApprovalResponse => continue,
                PartKind::Opaque => self.host.excerpt(place, Some(CLIP_CHARS), None),
            };
            out.push('\n');
            out.push_str(&line);
        }
        let starts = row.role == Role::Assistant || row.is_real_user();
        Told { tokens: session.weigh(&out), text: out, starts }
    }

    fn tell_result(&self, session: &crate::core::session::Session, place: Place) -> String {
        let call = session.transcript.index().call_of_result(place.row, place.part);
        let entry = call.and_then(|c| session.entry(c));
        if entry.is_some_and(|e| e.redacted) {
            return "result: not shown, it was redacted".to_owned();
        }
        let handle = entry.and_then(|e| e.handle.as_deref());
        format!("result: {}", self.host.excerpt(place, Some(CLIP_CHARS), handle))
    }

    /// Runs a prepared fold to its end.
    pub(super) async fn run_fold(&self, prepared: Prepared) -> Result<FoldEnd, Failure<H::Error>> {
        let reason = prepared.plan.reason.as_str();
        self.host.emit(&Event::Folding { reason, tokens: prepared.plan.tokens });
        let end = self.transact(&prepared).await;
        match &end {
            Ok(FoldEnd::Declined(why)) => {
                self.with(|s| {
                    if why.starts_with("summarizer_") {
                        let now = s.guarded_tokens();
                        let breaker = &mut s.state.breaker;
                        breaker.failures += 1;
                        if breaker.failures >= 3 {
                            breaker.opened_at = Some(now);
                        }
                        s.dirty = true;
                    }
                });
                self.host.emit(&Event::Declined { stage: "fold", reason: why });
            }
            Err(Failure::Host(_)) => self.host.emit(&Event::Declined { stage: "fold", reason: "cancelled" }),
            Err(Failure::Ours(_)) => self.host.emit(&Event::Declined { stage: "fold", reason: "stale" }),
            Ok(FoldEnd::Done(authority)) => self.promote(&prepared.plan, authority.memory.as_deref()).await,
        }
        self.host.release(&prepared.plan.id);
        end
    }

    async fn transact(&self, prepared: &Prepared) -> Result<FoldEnd, Failure<H::Error>> {
        let (text, warnings) = match self.ask(prepared).await? {
            Ok(briefing) => briefing,
            Err(why) => return Ok(FoldEnd::Declined(why)),
        };
        let authority = if self.host.has(Method::Authority) {
            match self.host.authority().await {
                Ok(authority) => authority,
                Err(error) if self.host.cancelled() => return Err(Failure::Host(error)),
                Err(_) => return Ok(FoldEnd::Declined("authority_unavailable")),
            }
        } else {
            Authority::default()
        };
        let plan = &prepared.plan;
        if !self.with(|s| apply::still_holds(s, plan)) {
            return Ok(FoldEnd::Declined("stale"));
        }
        let put = Put { authority: prepared.authority_in_head, readable: self.host.has(Method::Rows) };
        let (fold, before) = self.with(|s| {
            let fold = apply::render(s, plan, &text, &authority, put, prepared.users.clone());
            (fold, s.occupancy().tokens)
        });
        let (new, now) = self.with(|s| apply::net(s, &fold));
        if new >= now {
            return Ok(FoldEnd::Declined("summarizer_inflated"));
        }
        if let Err(why) = self.commit_fold(&fold, plan).await? {
            return Ok(FoldEnd::Declined(why));
        }
        let after = self.with(|s| s.occupancy().tokens);
        self.host.emit(&Event::Folded { id: fold.id, reason: plan.reason.as_str(), before, after, covered: fold.to, warnings });
        Ok(FoldEnd::Done(authority))
    }

    /// The briefing, over as many requests as the summarizer's window needs.
    async fn ask(&self, prepared: &Prepared) -> Result<Result<(String, Vec<&'static str>), &'static str>, Failure<H::Error>> {
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

    async fn answer(&self, ask: &crate::core::fold::request::SummarizeRequest) -> Result<Result<String, &'static str>, Failure<H::Error>> {
        let answer: Answer = match self.host.summarize(ask).await {
            Ok(answer) => answer,
            Err(error) if self.host.cancelled() => return Err(Failure::Host(error)),
            Err(_) => return Ok(Err("summarizer_failed")),
        };
        Ok(judge(&answer).map(|()| answer.text))
    }

    /// Writes the fold; applied only when it is durable.
    async fn commit_fold(&self, fold: &Fold, plan: &FoldPlan) -> Result<Result<(), &'static str>, Failure<H::Error>> {
        if !self.host.has(Method::Commit) {
            self.with(|s| {
                apply::record(&mut s.state, fold.clone());
                s.dirty = true;
                s.after_fold();
            });
            return Ok(Ok(()));
        }
        for _ in 0..2 {
            let mut state = self.state();
            apply::record(&mut state, fold.clone());
            match self.host.commit(&state, self.version.get()).await {
                Ok(Commit::Done(version)) => {
                    self.saw(version);
                    self.with(|s| {
                        apply::record(&mut s.state, fold.clone());
                        s.dirty = false;
                        s.after_fold();
                    });
                    return Ok(Ok(()));
                }
                Ok(Commit::Conflict) => {
                    self.reload().await?;
                    if !self.with(|s| apply::still_holds(s, plan)) {
                        return Ok(Err("stale"));
                    }
                }
                // The write may have happened all the same: look before anything else.
                Err(error) => {
                    let known = self.reload().await;
                    if known.is_ok() && self.landed(fold) {
                        return Ok(Ok(()));
                    }
                    return if self.host.cancelled() { Err(Failure::Host(error)) } else { Ok(Err("unavailable")) };
                }
            }
        }
        Ok(Err("stale"))
    }

    /// Whether the state that was just read holds this very fold.
    fn landed(&self, fold: &Fold) -> bool {
        self.with(|s| s.state.folds.iter().any(|f| f.active && f.id == fold.id))
    }
}
