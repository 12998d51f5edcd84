//! What is wrong with a form, in words that say what to do.

use patrol_domain::{Fault, Rule};
use patrol_json::fields::{Expected, TypeFault};

use crate::texts::Texts;

/// A fault of a form: the path of a member as the API writes it, and what to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FormFault {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl FormFault {
    /// A broken rule.
    pub(crate) fn of_rule(t: &Texts, fault: &Fault) -> Self {
        let text = match &fault.rule {
            Rule::NotNull => t.fault_required.to_string(),
            Rule::Null => t.fault_null.to_string(),
            Rule::Enum(_) => t.fault_choice.to_string(),
            Rule::Length { min, max } => range(t, &t.fault_length, *min, *max),
            Rule::Range { min, max } => range(t, &t.fault_range, *min, *max),
            Rule::Bounds => t.fault_bounds.to_string(),
            Rule::Email => t.fault_email.to_string(),
            Rule::Language => t.fault_language.to_string(),
            Rule::Characters => t.fault_characters.to_string(),
            Rule::Unique => t.fault_unique.to_string(),
            Rule::Reference => t.fault_reference.to_string(),
            Rule::Period => t.fault_period.to_string(),
            Rule::Image => t.fault_image.to_string(),
            Rule::Media => t.fault_media.to_string(),
            Rule::Recurrence(fault) => t.fault_rule.with(fault),
        };
        Self { path: fault.identifier.clone(), text }
    }

    /// A value that is not of the type of its member.
    pub(crate) fn of_type(t: &Texts, fault: TypeFault) -> Self {
        let text = match fault.expected {
            Expected::Integer => &t.fault_integer,
            Expected::Number => &t.fault_number,
            Expected::Timestamp | Expected::LocalDateTime => &t.fault_time,
            Expected::LocalDate => &t.fault_date,
            Expected::Uuid => &t.fault_reference,
            Expected::String | Expected::Boolean | Expected::Array | Expected::Object => {
                &t.fault_choice
            }
        };
        Self { path: fault.identifier.unwrap_or_default(), text: text.to_string() }
    }
}

/// A text with two values.
fn range(
    t: &Texts,
    text: &crate::texts::Text,
    min: impl std::fmt::Display,
    max: impl std::fmt::Display,
) -> String {
    text.with(&t.from_to.with_each(&[min.to_string(), max.to_string()]))
}
