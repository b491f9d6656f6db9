//! Positions of rows: unique, and increasing from round to round. Checked once per row.

use super::row::{Role, Row};
use crate::core::error::Error;

/// How far positions were checked, and what the next row is compared with.
#[derive(Clone, Debug, Default)]
pub(super) struct Checked {
    rows: usize,
    /// The highest position before the running block of results.
    before: Option<u64>,
    highest: Option<u64>,
    block: Vec<u64>,
}

impl Checked {
    /// Rows from `row` on are not what they were.
    pub(super) fn back_to(&mut self, row: usize) {
        if row < self.rows {
            *self = Checked::default();
        }
    }

    /// Checks the rows that were not checked yet.
    pub(super) fn go_on(&mut self, rows: &[Row]) -> Result<(), Error> {
        for (at, row) in rows.iter().enumerate().skip(self.rows) {
            if row.role != Role::Tool {
                self.before = self.highest;
                self.block.clear();
            }
            if let Some(position) = row.position {
                if self.before.is_some_and(|p| position <= p) || self.block.contains(&position) {
                    *self = Checked::default();
                    return Err(Error::bad_input(format!("`positions[{at}]` is {position}, but positions must be unique and increase from round to round")));
                }
                self.block.push(position);
                self.highest = Some(self.highest.map_or(position, |h| h.max(position)));
            }
            self.rows = at + 1;
        }
        Ok(())
    }
}
