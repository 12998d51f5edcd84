//! The priorities of plans and rounds, in words.

use patrol_domain::task_execution::Priority;

use super::form::Label;
use crate::texts::{Text, Texts};

/// A value of the API, and the word for it.
type Choice = (&'static str, Label);

pub(crate) const MINOR: Choice = ("MINOR", |t| text(t, Priority::Minor));
pub(crate) const NORMAL: Choice = ("NORMAL", |t| text(t, Priority::Normal));
pub(crate) const MAJOR: Choice = ("MAJOR", |t| text(t, Priority::Major));
pub(crate) const CRITICAL: Choice = ("CRITICAL", |t| text(t, Priority::Critical));

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
