//! What is put back after rows were removed: rules, the user's orders, the plan.

pub mod anchor;
pub mod authority;
pub mod frames;
pub mod orders;
