//! Why a recurrence rule is refused, or why a schedule cannot be moved.

use std::fmt;

/// Why a text is not an allowed recurrence rule, or why a schedule cannot be moved, as a short
/// English sentence for the client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleFault(String);

impl RuleFault {
    /// A fault with this sentence.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for RuleFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}
