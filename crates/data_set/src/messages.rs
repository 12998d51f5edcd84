//! The messages for refused lines.

use patrol_domain::{
    Fault, Refusal, Rule,
    data_set::{Reference, RefusedLine},
};
use patrol_json::fields::{Expected, Inexact, TypeFault};

/// The most faults shown for one line, which may have thousands.
const SPELLED_OUT: usize = 20;
/// The most characters shown of a fault, since the name of an unknown member may be as long as the
/// line.
const LONGEST: usize = 400;

/// The message for a line that starts with `[`.
pub(crate) const IS_LIST: &str = "is a list; write one object per line, without brackets";

/// The message for the first line of a file that is not lines of UTF-8, for the usual other forms.
pub(crate) fn other_form(text: &[u8]) -> Option<&'static str> {
    match text {
        [0x1f, 0x8b, ..] => {
            Some("is compressed with gzip; unpack the file, for example with gunzip")
        }
        [b'P', b'K', 3, 4, ..] => Some("is a ZIP archive; unpack the file"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some("is UTF-16; convert the file to UTF-8"),
        b"{" => Some("not a JSON object: only its start; write each object on one line"),
        b"[]" => None,
        // A common mistake: the whole file is a JSON array.
        [b'[', ..] => Some(IS_LIST),
        _ => None,
    }
}

/// What a field has to be, as the rest of a sentence that starts with its name.
#[must_use]
pub fn describe(rule: &Rule) -> String {
    match rule {
        Rule::NotNull => "must not be null".to_owned(),
        Rule::Null => "must be null in this state".to_owned(),
        Rule::Enum(names) => one_of(names),
        Rule::Length { min, max } => format!("must have a length of {min} to {max}"),
        Rule::Range { min, max } => format!("must be from {min} to {max}"),
        Rule::Email => "must be an email address".to_owned(),
        Rule::Language => "must be a language tag such as en or pt-BR".to_owned(),
        Rule::Characters => "must not contain the character U+0000".to_owned(),
        Rule::Unique => "is there already".to_owned(),
        Rule::Reference => "names what does not exist or does not belong here".to_owned(),
        Rule::Period => "must not lie before the start".to_owned(),
        Rule::Image => "must be a JPEG, PNG or WebP image".to_owned(),
    }
}

/// The message for a refused line: `line 17: steps[0].actions[1].type: must be one of …`; faults
/// are separated by `; `.
#[must_use]
pub fn refusal(line: u64, faults: &[Fault]) -> String {
    sentence(line, &of_rules(faults))
}

/// The message for a line that the store refuses. Like [`refusal`], with the ids of missing
/// records: `line 17: assigneeIds[0]: there is no user 0190a000-…`.
#[must_use]
pub fn store_refusal(refused: &RefusedLine) -> String {
    let RefusedLine { line, faults, unknown } = refused;
    let faults: Vec<_> = faults
        .iter()
        .map(|Fault { identifier, rule }| {
            let reference = unknown.iter().find(|(of, _)| of == identifier);
            match (rule, reference) {
                (Rule::Reference, Some((_, reference))) => about(identifier, &missing(*reference)),
                _ => about(identifier, &describe(rule)),
            }
        })
        .collect();
    sentence(*line, &faults)
}

fn missing(reference: Reference) -> String {
    match reference {
        Reference::User(user) => format!("there is no user {user}"),
        Reference::Location(location) => format!("there is no location {location}"),
        Reference::GraphicPlan(plan, location) => {
            format!("location {location} has no graphic plan {plan}")
        }
        Reference::ScheduledTask(task) => format!("there is no scheduled task {task}"),
    }
}

/// One message for each broken rule.
pub(crate) fn of_rules(faults: &[Fault]) -> Vec<String> {
    faults.iter().map(|fault| about(&fault.identifier, &describe(&fault.rule))).collect()
}

/// One message for each fault of the line's JSON members.
pub(crate) fn of_shape(inexact: Inexact) -> Vec<String> {
    let Inexact { faults, unknown } = inexact;
    let unknown = unknown.into_iter().map(|identifier| about(&identifier, "unknown member"));
    faults.iter().map(of_type).chain(unknown).collect()
}

pub(crate) fn of_type(fault: &TypeFault) -> String {
    let identifier = fault.identifier.as_deref().unwrap_or_default();
    let must = match fault.expected {
        Expected::Uuid => "must be a UUID such as 0190a000-0000-7000-8000-000000000001",
        Expected::String => "must be a string",
        Expected::Integer => "must be an integer",
        Expected::Number => "must be a number",
        Expected::Boolean => "must be true or false",
        Expected::Timestamp => "must be a timestamp such as 2026-01-31T08:00:00.000Z",
        Expected::Array => "must be an array",
        Expected::Object => "must be an object",
    };
    about(identifier, must)
}

pub(crate) fn one_of(names: &[&str]) -> String {
    format!("must be one of {}", names.join(", "))
}

pub(crate) fn about(identifier: &str, what: &str) -> String {
    if identifier.is_empty() { what.to_owned() } else { format!("{identifier}: {what}") }
}

/// Joins the faults of a line into one line of text.
pub(crate) fn sentence(line: u64, faults: &[String]) -> String {
    // Here the line is the subject of the sentence: "line 3 is a list".
    let is_whole = faults.first().is_some_and(|fault| fault.starts_with("is "));
    let mut text = if is_whole { format!("line {line} ") } else { format!("line {line}: ") };
    for (at, fault) in faults.iter().take(SPELLED_OUT).enumerate() {
        if at > 0 {
            text.push_str("; ");
        }
        // The name of an unknown member may contain any character, also line breaks.
        for (at, character) in fault.chars().enumerate() {
            match character {
                _ if at == LONGEST => {
                    text.push('…');
                    break;
                }
                _ if character.is_control() => text.extend(character.escape_default()),
                _ => text.push(character),
            }
        }
    }
    if let Some(more) = faults.len().checked_sub(SPELLED_OUT).filter(|more| *more > 0) {
        text.push_str(&format!("; and {more} more"));
    }
    text
}

/// The checked value, or the faults that the domain found.
pub(crate) fn accepted<T>(checked: Result<T, Refusal>) -> Result<T, Vec<String>> {
    checked.map_err(|refusal| match refusal {
        Refusal::Invalid(faults) => of_rules(&faults),
        Refusal::State(member) => vec![about(&member, "does not allow this")],
        Refusal::Denied => vec!["not allowed".to_owned()],
    })
}

#[cfg(test)]
mod tests {
    use patrol_domain::{Named, access::Role};

    use super::*;

    fn fault(identifier: &str, rule: Rule) -> Fault {
        Fault { identifier: identifier.to_owned(), rule }
    }

    #[test]
    fn every_rule_has_a_sentence() {
        for (rule, sentence) in [
            (Rule::NotNull, "f: must not be null"),
            (Rule::Null, "f: must be null in this state"),
            (Rule::Enum(Role::NAMES), "f: must be one of EMPLOYEE, MANAGER, ADMIN"),
            (Rule::Length { min: 1, max: 255 }, "f: must have a length of 1 to 255"),
            (Rule::Range { min: -90, max: 90 }, "f: must be from -90 to 90"),
            (Rule::Email, "f: must be an email address"),
            (Rule::Language, "f: must be a language tag such as en or pt-BR"),
            (Rule::Characters, "f: must not contain the character U+0000"),
            (Rule::Unique, "f: is there already"),
            (Rule::Reference, "f: names what does not exist or does not belong here"),
            (Rule::Period, "f: must not lie before the start"),
            (Rule::Image, "f: must be a JPEG, PNG or WebP image"),
        ] {
            assert_eq!(refusal(7, &[fault("f", rule)]), format!("line 7: {sentence}"));
        }
    }

    #[test]
    fn several_faults_share_a_line_and_a_flood_of_them_is_counted() {
        let two = [fault("id", Rule::Unique), fault("email", Rule::Unique)];
        assert_eq!(refusal(2, &two), "line 2: id: is there already; email: is there already");
        let flood: Vec<_> =
            (0..5_000).map(|at| fault(&format!("tags[{at}]"), Rule::NotNull)).collect();
        let text = refusal(3, &flood);
        assert!(text.ends_with("; tags[19]: must not be null; and 4980 more"), "{text}");
    }

    #[test]
    fn a_member_with_a_line_break_in_its_name_does_not_break_the_line() {
        let inexact =
            Inexact { faults: Vec::new(), unknown: vec!["a\nline 9: \u{1b}é".to_owned()] };
        assert_eq!(sentence(1, &of_shape(inexact)), r"line 1: a\nline 9: \u{1b}é: unknown member");
    }
}
