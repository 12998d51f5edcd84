//! The priorities of plans and rounds, in words.

use patrol_domain::task_execution::Priority;

use super::form::Label;
use crate::texts::{Text, Texts};

/// A value of the API, and the word for it.
type Choice = (&'static str, Label);

pub(crate) const MINOR: Choice = ("MINOR", |t| &t.round_priority_minor);
pub(crate) const NORMAL: Choice = ("NORMAL", |t| &t.round_priority_normal);
pub(crate) const MAJOR: Choice = ("MAJOR", |t| &t.round_priority_major);
pub(crate) const CRITICAL: Choice = ("CRITICAL", |t| &t.round_priority_critical);

/// All of them, the lowest first.
pub(crate) const CHOICES: [Choice; 4] = [MINOR, NORMAL, MAJOR, CRITICAL];

/// The word for a priority.
pub(crate) const fn text(t: &Texts, priority: Priority) -> &Text {
    match priority {
        Priority::Minor => &t.round_priority_minor,
        Priority::Normal => &t.round_priority_normal,
        Priority::Major => &t.round_priority_major,
        Priority::Critical => &t.round_priority_critical,
    }
}
