//! Values of a round in words.

use patrol_domain::{
    Named as _,
    task_execution::{Action, Outcome, Priority, Status},
};

use crate::{
    office::priority,
    pages::check_lists::action_type,
    texts::{Text, Texts},
    view::yes_or_no,
};

/// The word for the name of a priority; `None` for another text.
pub(super) fn priority<'a>(t: &'a Texts, name: &str) -> Option<&'a Text> {
    Priority::from_name(name).map(|priority| priority::text(t, priority))
}

/// The word for a status, and its class.
pub(super) const fn status(t: &Texts, status: Status) -> (&Text, &'static str) {
    match status {
        Status::Success => (&t.round_success, "good"),
        Status::Warning => (&t.round_warning, "warning"),
        Status::Error => (&t.round_error, "bad"),
    }
}

/// The result of an action; `None` without one. Media are shown beside it.
pub(super) fn result(t: &Texts, outcome: Option<&Outcome>) -> Option<String> {
    Some(match outcome? {
        Outcome::Boolean(yes) => yes_or_no(t, *yes).to_string(),
        Outcome::Number(reading) => reading.to_string(),
        Outcome::Text(remark) => remark.clone(),
        Outcome::Media(_) => String::new(),
    })
}

/// What an action asks for: type, bounds, and whether the result is required.
pub(super) fn asked(t: &Texts, action: &Action) -> String {
    let bounds = match (action.min_value, action.max_value) {
        (Some(min), Some(max)) => Some(t.round_bounds.with_each(&[min, max])),
        (Some(min), None) => Some(t.at_least.with(&min)),
        (None, Some(max)) => Some(t.at_most.with(&max)),
        (None, None) => None,
    };
    let required = action.required.then(|| t.required.to_string());
    let parts = [Some(action_type(t, action.kind).to_string()), bounds, required];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use patrol_domain::{
        ids::{ActionId, Uuid},
        task_execution::ActionType,
    };

    use super::*;
    use crate::texts::Language;

    #[test]
    fn an_action_says_what_it_asks_for() {
        let t = &Language::usual().texts;
        let action = |min_value, max_value, required| Action {
            id: ActionId(Uuid::from_u128(1)),
            series_id: None,
            name: "Pressure".to_owned(),
            kind: ActionType::Number,
            order: 0,
            required,
            min_value,
            max_value,
            outcome: None,
        };
        for (action, said) in [
            (action(Some(1.0), Some(2.5), true), "Number, 1 to 2.5, required"),
            (action(Some(-1.5), None, false), "Number, at least -1.5"),
            (action(None, Some(3.0), false), "Number, at most 3"),
            (action(None, None, true), "Number, required"),
        ] {
            assert_eq!(asked(t, &action), said);
        }
    }
}
