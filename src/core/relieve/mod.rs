//! Relief that needs no model: cut one text, put a stub in place of an old result, read it back.
//!
//! Each stage plans a value and changes nothing; the ladder decides whether and in which order.

pub mod aged;
pub mod cascade;
pub mod clamp;
pub mod dedupe;
pub mod digest;
pub mod drop;
pub mod economy;
pub mod evict;
pub mod limit;
mod lost_names;
pub mod media;
pub mod outline;
pub mod reach;
pub mod readback;
pub mod stub;
pub mod text;
pub mod victim;
pub mod worth;
