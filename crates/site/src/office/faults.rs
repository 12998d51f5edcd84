//! What is wrong with a form, in words that say what to do.

use patrol_domain::{Fault, Rule};
use patrol_record::json::fields::{Expected, TypeFault};

use crate::texts::{Text, Texts};

/// A fault of a form: the path of a member as the API writes it, and what to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FormFault {
    pub(crate) path: String,
    pub(crate) text: String,
    /// The text when the member is a list, if it is another one.
    pub(crate) text_of_list: Option<String>,
}

impl FormFault {
    /// A fault of the member at this path.
    pub(crate) fn new(path: impl Into<String>, text: &Text) -> Self {
        Self { path: path.into(), text: text.to_string(), text_of_list: None }
    }

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
        let text_of_list = match fault.rule {
            Rule::Length { min, max } => Some(range(t, &t.fault_elements, min, max)),
            _ => None,
        };
        Self { path: fault.identifier.clone(), text, text_of_list }
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
        Self::new(fault.identifier.unwrap_or_default(), text)
    }
}

/// A text with two values.
fn range(
    t: &Texts,
    text: &Text,
    min: impl std::fmt::Display,
    max: impl std::fmt::Display,
) -> String {
    text.with(&t.from_to.with_each(&[min.to_string(), max.to_string()]))
}

#[cfg(test)]
mod tests {
    use patrol_domain::schedule::RuleFault;

    use super::*;
    use crate::texts::Language;

    /// A fault of each kind, and what a form in English says.
    fn faults(t: &Texts) -> Vec<(FormFault, &'static str)> {
        let of_rule = |rule, says| {
            let fault = Fault { identifier: "tags[0]".to_owned(), rule };
            (FormFault::of_rule(t, &fault), says)
        };
        let of_type = |expected, says| {
            let fault = TypeFault { identifier: Some("tags[0]".to_owned()), expected };
            (FormFault::of_type(t, fault), says)
        };
        let malformed = Rule::Recurrence(RuleFault::new("wrong FREQ: X"));
        vec![
            of_rule(Rule::NotNull, "Enter a value."),
            of_rule(Rule::Null, "Leave this empty."),
            of_rule(Rule::Enum(&["MINOR", "MAJOR"]), "Choose one of the values."),
            of_rule(Rule::Length { min: 1, max: 255 }, "Enter from 1 to 255 characters."),
            of_rule(Rule::Range { min: -90, max: 90 }, "Enter a number from -90 to 90."),
            of_rule(Rule::Bounds, "Enter a largest value that is not below the smallest one."),
            of_rule(Rule::Email, "Enter an email address, for example ada@example.org."),
            of_rule(Rule::Language, "Enter a language, for example en or pt-BR."),
            of_rule(Rule::Characters, "Remove the invisible character with the code 0."),
            of_rule(Rule::Unique, "This value is taken. Enter another one."),
            of_rule(Rule::Reference, "Choose a record that exists and belongs here."),
            of_rule(Rule::Period, "Choose a later end."),
            of_rule(Rule::Image, "Choose a JPEG, PNG or WebP picture."),
            of_rule(Rule::Media, "Choose a photo, recording or document of a known kind."),
            of_rule(malformed, "Change the rule: wrong FREQ: X."),
            of_type(Expected::Integer, "Enter a whole number."),
            of_type(Expected::Number, "Enter a number, for example 51.5."),
            of_type(Expected::Timestamp, "Enter a date and a time."),
            of_type(Expected::LocalDateTime, "Enter a date and a time."),
            of_type(Expected::LocalDate, "Enter a date."),
            of_type(Expected::Uuid, "Choose a record that exists and belongs here."),
            of_type(Expected::String, "Choose one of the values."),
            of_type(Expected::Boolean, "Choose one of the values."),
            of_type(Expected::Array, "Choose one of the values."),
            of_type(Expected::Object, "Choose one of the values."),
        ]
    }

    #[test]
    fn each_fault_is_said_in_a_sentence_of_the_language() {
        for language in Language::all() {
            let is_english = language.code == "en";
            for (FormFault { path, text, .. }, says) in faults(&language.texts) {
                assert_eq!(path, "tags[0]");
                assert_eq!(text == says, is_english, "{}: {text}", language.code);
                let first = text.chars().next().expect("a text");
                assert!(first.is_uppercase() && first.is_ascii() == is_english, "{text}");
                assert!(text.ends_with('.'), "{text}");
                for code in ["{}", "_", "validation", "MINOR", "UUID"] {
                    assert!(!text.contains(code), "{code}: {text}");
                }
            }
        }
    }

    #[test]
    fn bounds_are_numbers_in_every_language() {
        for language in Language::all() {
            for rule in [Rule::Length { min: 7, max: 90 }, Rule::Range { min: 7, max: 90 }] {
                let fault = Fault { identifier: String::new(), rule };
                let text = FormFault::of_rule(&language.texts, &fault).text;
                let parts = text.split(|letter: char| !letter.is_ascii_digit());
                let numbers: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
                assert_eq!(numbers, ["7", "90"], "{text}");
            }
        }
    }
}
