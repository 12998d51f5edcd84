//! Recurrence rules of RFC 5545, 3.3.10.

mod expand;
mod fault;
mod filter;
mod moved;
mod parse;
mod rate;

pub(super) use expand::Expander;
pub use fault::RuleFault;
pub(super) use moved::Rest;
use parse::Parts;

use super::local::LocalDateTime;

/// The maximum number of occurrences of a rule on one day: one every quarter of an hour.
pub const MAX_A_DAY: i64 = 96;

/// A valid recurrence rule, for example `FREQ=WEEKLY;BYDAY=MO,WE;COUNT=20`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecurrenceRule {
    text: String,
    parts: Parts,
}

impl RecurrenceRule {
    /// Reads the value of an RRULE, without `RRULE:`.
    ///
    /// # Errors
    /// When the text is not a rule, or RFC 5545 forbids the rule. Also refused are
    /// FREQ=SECONDLY, FREQ=MINUTELY, and a rule that can have more than [`MAX_A_DAY`] occurrences
    /// on one day, even if its COUNT is small.
    pub fn parse(text: &str) -> Result<Self, RuleFault> {
        let parts = Parts::parse(text)?;
        if rate::most_a_day(&parts) > MAX_A_DAY {
            return Err(RuleFault::new(format!("more than {MAX_A_DAY} occurrences a day")));
        }
        Ok(Self { text: text.to_owned(), parts })
    }

    /// The text as sent.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The local times of the rule, from `start`.
    pub(super) fn expand(&self, start: LocalDateTime) -> Expander<'_> {
        Expander::new(&self.parts, start)
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.text.len() + self.parts.heap_bytes()
    }
}
