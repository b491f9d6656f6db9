//! The lossy part: rows before a safe cut become a briefing, in one transaction.
//!
//! Each step plans a value; nothing changes before the commit. A missed fold costs tokens, a wrong fold
//! manufactures amnesia.

pub mod apply;
pub mod briefing;
pub mod judge;
pub mod plan;
pub mod request;
