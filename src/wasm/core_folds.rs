//! Folds as calls: made in the background, at rest or from a ticket; taken back; and the branch that leaves with them.

use std::rc::Rc;

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::core::Core;
use super::job::Job;
use super::value::{from_js, js_error, js_failure, to_js};
use crate::core::event::Outcome;
use crate::driver::FoldEnd;

#[wasm_bindgen]
impl Core {
    /// Runs the fold that `next` planned for the background: `{ outcome, reason? }`.
    pub fn background(&self) -> Job {
        let driver = Rc::clone(&self.driver);
        Job::new(&self.line, async move {
            let end = driver.background().await.map_err(js_failure)?;
            to_js(&ended(end))
        })
    }

    /// The fold to make before the next request, as a plan for a ticket; undefined when none is due.
    #[wasm_bindgen(js_name = foldDue)]
    pub fn fold_due(&self) -> Result<JsValue, JsValue> {
        self.driver.due_at_rest().map_or(Ok(JsValue::UNDEFINED), |plan| to_js(&plan))
    }

    /// Carries out a ticket's plan on the rows pushed so far: `{ outcome, reason? }`.
    #[wasm_bindgen(js_name = foldTicket)]
    pub fn fold_ticket(&self, plan: JsValue) -> Job {
        let driver = Rc::clone(&self.driver);
        Job::new(&self.line, async move {
            let plan = from_js(plan, "ticket").map_err(|e| js_error(&e))?;
            let end = driver.fold_ticket(plan).await.map_err(js_failure)?;
            to_js(&ended(end))
        })
    }

    /// Says whether a fold of this conversation is being made elsewhere.
    #[wasm_bindgen(js_name = setFolding)]
    pub fn set_folding(&self, folding: bool) {
        self.driver.set_folding(folding);
    }

    /// Takes over what somebody else wrote.
    #[wasm_bindgen(js_name = catchUp)]
    pub fn catch_up(&self) -> Job {
        let driver = Rc::clone(&self.driver);
        Job::new(&self.line, async move {
            driver.catch_up().await.map_err(js_failure)?;
            Ok(JsValue::UNDEFINED)
        })
    }

    /// Takes the folds back that cover more than the row at `to`, and every decision after it.
    #[wasm_bindgen(js_name = rewindTo)]
    pub fn rewind_to(&self, to: f64) -> Job {
        let driver = Rc::clone(&self.driver);
        Job::new(&self.line, async move {
            driver.rewind(to as u64).await.map_err(js_failure)?;
            Ok(JsValue::UNDEFINED)
        })
    }

    /// Takes a fold and those made on it back; its rows are shown again.
    pub fn unfold(&self, id: String) -> Job {
        let driver = Rc::clone(&self.driver);
        Job::new(&self.line, async move {
            driver.unfold(&id).await.map_err(js_failure)?;
            Ok(JsValue::UNDEFINED)
        })
    }

    /// `{ state, handles }` of a branch with the rows up to `at`; `positions` maps where it stores them.
    pub fn branch(&self, at: f64, positions: JsValue) -> Result<JsValue, JsValue> {
        let given: std::collections::BTreeMap<String, u64> = from_js(positions, "map").map_err(|e| js_error(&e))?;
        let positions = given.iter().filter_map(|(from, to)| Some((from.parse().ok()?, *to))).collect();
        let (state, handles) = self.driver.branch(at as u64, &positions);
        to_js(&serde_json::json!({ "state": state, "handles": handles }))
    }

    /// Forgets folds, relief and everything decided; with `all` also what was learned.
    pub fn reset(&self, all: bool) -> Job {
        let driver = Rc::clone(&self.driver);
        Job::new(&self.line, async move {
            driver.reset(all).await.map_err(js_failure)?;
            Ok(JsValue::UNDEFINED)
        })
    }
}

fn ended(end: FoldEnd) -> Outcome {
    match end {
        FoldEnd::Done(_) => Outcome { stage: "fold", outcome: "done", reason: None, until: None, detail: None },
        FoldEnd::Declined(reason) => Outcome::declined("fold", reason),
    }
}
