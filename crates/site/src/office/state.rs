//! The states of rounds, steps and flags: an icon with a word beside it.

use askama::{Template, filters::HtmlSafe};
use patrol_domain::task_execution::{Moment, State, Timing};

use crate::texts::{Text, Texts};

/// A state that pages show by an icon. `Display` writes the icon alone, as SVG in the colour of the text.
#[derive(Template, Clone, Copy, PartialEq, Eq, Debug)]
#[template(path = "office/icon.html")]
pub(crate) enum Mark {
    Planned,
    InProgress,
    Completed,
    Late,
    Missed,
    Flagged,
}

impl HtmlSafe for Mark {}

impl Mark {
    /// The word for the state.
    pub(crate) const fn text(self, t: &Texts) -> &Text {
        match self {
            Self::Planned => &t.state_planned,
            Self::InProgress => &t.state_in_progress,
            Self::Completed => &t.state_completed,
            Self::Late => &t.state_late,
            Self::Missed => &t.state_missed,
            Self::Flagged => &t.state_flagged,
        }
    }

    /// The class that gives the colour.
    pub(crate) const fn class(self) -> &'static str {
        match self {
            Self::Planned => "planned",
            Self::InProgress => "in-progress",
            Self::Completed => "completed",
            Self::Late => "late",
            Self::Missed => "missed",
            Self::Flagged => "flagged",
        }
    }
}

impl From<State> for Mark {
    fn from(state: State) -> Self {
        match state {
            State::Pending => Self::Planned,
            State::InProgress => Self::InProgress,
            State::Completed => Self::Completed,
        }
    }
}

/// An icon with words beside it.
#[derive(Template, Clone)]
#[template(path = "office/state.html")]
pub(crate) struct StateLabel {
    mark: Mark,
    text: String,
}

impl HtmlSafe for StateLabel {}

impl StateLabel {
    /// The icon with the word for the state.
    pub(crate) fn new(mark: Mark, t: &Texts) -> Self {
        Self { mark, text: mark.text(t).to_string() }
    }

    /// The state of a round, with "Late" and "Missed" beside it.
    pub(crate) fn of_round(
        t: &Texts,
        timing: Timing,
        moment: Moment,
    ) -> impl Iterator<Item = Self> {
        let late = moment.is_late(timing).then_some(Mark::Late);
        let missed = moment.is_missed(timing).then_some(Mark::Missed);
        let marks = [Some(timing.progress.state().into()), late, missed];
        marks.into_iter().flatten().map(|mark| Self::new(mark, t))
    }

    /// The flag with the number of flags.
    pub(crate) fn flags(count: u64, t: &Texts) -> Self {
        Self { mark: Mark::Flagged, text: t.flagged_count.with(&count) }
    }

    /// The flag with the number of flags alone, in a column of flags.
    pub(crate) fn flags_of_column(count: u64) -> Self {
        Self { mark: Mark::Flagged, text: count.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texts::Language;

    #[test]
    fn a_state_has_an_icon_and_a_word() {
        let t = &Language::usual().texts;
        let html = StateLabel::new(Mark::Late, t).to_string();
        assert!(html.starts_with("<span class=\"state late\"><svg"), "{html}");
        assert!(html.ends_with("</svg> Late</span>"), "{html}");
    }
}
