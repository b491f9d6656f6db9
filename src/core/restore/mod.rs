//! What is put back after rows were removed: rules, the user's orders, the plan.

pub mod anchor;
pub mod authority;
pub mod frames;
pub mod lexical;
pub mod orders;
pub mod promote;
pub mod recall;
pub mod vectors;
