//! Messages for lines that cannot be imported.

use patrol_domain::{Fault, Reference, Refusal, Resource, Rule, data_set::RefusedLine};
use patrol_record::json::fields::{Expected, Inexact, TypeFault};

/// The maximum number of faults shown for one line.
const MAX_SHOWN_FAULTS: usize = 20;
/// The maximum number of characters shown of one fault: the name of an unknown member may be as long as
/// the line.
const MAX_SHOWN_CHARACTERS: usize = 400;

/// The message for a line that starts with `[`.
pub(crate) const IS_LIST: &str = "is a list; write one object per line, without brackets";

/// The message for a file in another, common format, recognised by its first line; `None` for lines of
/// JSON.
pub(crate) fn wrong_format(text: &[u8]) -> Option<&'static str> {
    match text {
        [0x1f, 0x8b, ..] => {
            Some("is compressed with gzip; unpack the file, for example with gunzip")
        }
        [b'P', b'K', 3, 4, ..] => Some("is a ZIP archive; unpack the file"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some("is UTF-16; convert the file to UTF-8"),
        b"{" => Some("not a complete JSON object; write each object on one line"),
        b"[]" => None,
        // A common mistake: the whole file is a JSON array.
        [b'[', ..] => Some(IS_LIST),
        _ => None,
    }
}

/// The message for a broken rule, without the field: `must not be null`.
#[must_use]
pub fn rule(rule: &Rule) -> String {
    match rule {
        Rule::NotNull => "must not be null".to_owned(),
        Rule::Null => "must be null in this state".to_owned(),
        Rule::Enum([]) => "must be a known name".to_owned(),
        Rule::Enum(names) => one_of(names),
        Rule::Length { min, max } => format!("must have a length of {min} to {max}"),
        Rule::Range { min, max } => format!("must be from {min} to {max}"),
        Rule::Bounds => "must not be less than minValue".to_owned(),
        Rule::Email => "must be an email address".to_owned(),
        Rule::Language => "must be a language tag such as en or pt-BR".to_owned(),
        Rule::Characters => "must not contain the character U+0000".to_owned(),
        Rule::Unique => "already exists".to_owned(),
        Rule::Reference => {
            "refers to a record that does not exist or does not belong here".to_owned()
        }
        Rule::Period => "must not lie before the start".to_owned(),
        Rule::Image => "must be a JPEG, PNG or WebP image".to_owned(),
        Rule::Media => "must be a medium of a known kind".to_owned(),
        Rule::Recurrence(fault) => format!("must be an allowed recurrence rule: {fault}"),
    }
}

/// The message for a line that the store refuses, with the ids of missing records: `line 17:
/// locationId: there is no location 0190a000-…; id: already exists`.
#[must_use]
pub fn refused_line(refused: &RefusedLine) -> String {
    let RefusedLine { line: number, faults, missing } = refused;
    let faults: Vec<_> = faults
        .iter()
        .map(|Fault { identifier, rule }| {
            let reference = missing.iter().find(|(path, _)| path == identifier);
            match (rule, reference) {
                (Rule::Reference, Some((_, reference))) => {
                    of_field(identifier, &missing_record(*reference))
                }
                _ => of_field(identifier, &self::rule(rule)),
            }
        })
        .collect();
    line(*number, &faults)
}

fn missing_record(reference: Reference) -> String {
    let Reference { kind, id, parent } = reference;
    let kind = match kind {
        Resource::GraphicPlan => "graphic plan",
        Resource::ScheduledTask => "scheduled task",
        Resource::TaskExecution => "task execution",
        other => other.name(),
    };
    match parent {
        Some(location) => format!("location {location} has no {kind} {id}"),
        None => format!("there is no {kind} {id}"),
    }
}

/// One message for each broken rule.
pub(crate) fn rule_faults(faults: &[Fault]) -> Vec<String> {
    let message = |Fault { identifier, rule: broken }: &Fault| match (identifier.as_str(), broken) {
        // The only rule about a line as a whole.
        ("", Rule::NotNull) => "a RESULT needs a value".to_owned(),
        _ => of_field(identifier, &rule(broken)),
    };
    faults.iter().map(message).collect()
}

/// One message for each member with a wrong JSON type and each unknown member.
pub(crate) fn member_faults(inexact: Inexact) -> Vec<String> {
    let Inexact { faults, unknown } = inexact;
    let unknown = unknown.into_iter().map(|identifier| of_field(&identifier, "unknown member"));
    faults.iter().map(type_fault).chain(unknown).collect()
}

/// The message for a member with a wrong JSON type.
pub(crate) fn type_fault(fault: &TypeFault) -> String {
    let identifier = fault.identifier.as_deref().unwrap_or_default();
    let must = match fault.expected {
        Expected::Uuid => "must be a UUID such as 0190a000-0000-7000-8000-000000000001",
        Expected::String => "must be a string",
        Expected::Integer => "must be an integer",
        Expected::Number => "must be a number",
        Expected::Boolean => "must be true or false",
        Expected::Timestamp => "must be a timestamp such as 2026-01-31T08:00:00.000Z",
        Expected::LocalDateTime => "must be a local date and time such as 2026-12-01T22:00:00",
        Expected::LocalDate => "must be a date such as 2026-12-01",
        Expected::Array => "must be an array",
        Expected::Object => "must be an object",
    };
    of_field(identifier, must)
}

pub(crate) fn one_of(names: &[&str]) -> String {
    format!("must be one of {}", names.join(", "))
}

/// Puts the path of a field before a message; the path of the whole line is empty.
pub(crate) fn of_field(identifier: &str, message: &str) -> String {
    if identifier.is_empty() { message.to_owned() } else { format!("{identifier}: {message}") }
}

/// The message for a line with these faults, as one line of text: `line 17: id: must not be null; name:
/// must be a string`.
pub(crate) fn line(number: u64, faults: &[String]) -> String {
    // The subject of such a message is the whole line: "line 3 is a list".
    let is_whole_line = faults.first().is_some_and(|fault| fault.starts_with("is "));
    let mut text =
        if is_whole_line { format!("line {number} ") } else { format!("line {number}: ") };
    for (at, fault) in faults.iter().take(MAX_SHOWN_FAULTS).enumerate() {
        if at > 0 {
            text.push_str("; ");
        }
        // The name of an unknown member may contain any character, also line breaks.
        for (at, character) in fault.chars().enumerate() {
            match character {
                _ if at == MAX_SHOWN_CHARACTERS => {
                    text.push('…');
                    break;
                }
                _ if character.is_control() => text.extend(character.escape_default()),
                _ => text.push(character),
            }
        }
    }
    if let Some(more) = faults.len().checked_sub(MAX_SHOWN_FAULTS).filter(|more| *more > 0) {
        text.push_str(&format!("; and {more} more"));
    }
    text
}

/// The checked value, or one message for each fault that the domain found.
pub(crate) fn checked<T>(result: Result<T, Refusal>) -> Result<T, Vec<String>> {
    result.map_err(|refusal| match refusal {
        Refusal::Invalid(faults) => rule_faults(&faults),
        Refusal::State(member) => vec![of_field(&member, "does not allow this")],
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
    fn every_rule_has_a_message() {
        for (broken, message) in [
            (Rule::NotNull, "f: must not be null"),
            (Rule::Null, "f: must be null in this state"),
            (Rule::Enum(Role::NAMES), "f: must be one of EMPLOYEE, MANAGER, ADMIN"),
            (Rule::Length { min: 1, max: 255 }, "f: must have a length of 1 to 255"),
            (Rule::Range { min: -90, max: 90 }, "f: must be from -90 to 90"),
            (Rule::Bounds, "f: must not be less than minValue"),
            (Rule::Email, "f: must be an email address"),
            (Rule::Language, "f: must be a language tag such as en or pt-BR"),
            (Rule::Characters, "f: must not contain the character U+0000"),
            (Rule::Unique, "f: already exists"),
            (Rule::Reference, "f: refers to a record that does not exist or does not belong here"),
            (Rule::Period, "f: must not lie before the start"),
            (Rule::Image, "f: must be a JPEG, PNG or WebP image"),
            (Rule::Media, "f: must be a medium of a known kind"),
        ] {
            let faults = rule_faults(&[fault("f", broken)]);
            assert_eq!(line(7, &faults), format!("line 7: {message}"));
        }
    }

    #[test]
    fn at_most_20_faults_are_shown_and_the_others_are_counted() {
        let two = [fault("id", Rule::Unique), fault("email", Rule::Unique)];
        let text = line(2, &rule_faults(&two));
        assert_eq!(text, "line 2: id: already exists; email: already exists");
        let many: Vec<_> =
            (0..5_000).map(|at| fault(&format!("tags[{at}]"), Rule::NotNull)).collect();
        let text = line(3, &rule_faults(&many));
        assert!(text.ends_with("; tags[19]: must not be null; and 4980 more"), "{text}");
    }

    #[test]
    fn control_characters_in_the_name_of_a_member_are_escaped() {
        let inexact =
            Inexact { faults: Vec::new(), unknown: vec!["a\nline 9: \u{1b}é".to_owned()] };
        assert_eq!(line(1, &member_faults(inexact)), r"line 1: a\nline 9: \u{1b}é: unknown member");
    }
}
