//! Reading a form: what was typed becomes the members of a record.

use std::collections::HashMap;

use patrol_domain::{Version, schedule::TimeZone};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    member::{element, elements, member, place, set, strings},
    parts::{ACTION, Field, Kind, Part, Rows},
    show::{normal, shown},
};
use crate::times::Times;

/// The most rows of one list in a form. The API's own limits are lower by default.
const MAX_ROWS: usize = 1_000;

/// The hidden field with the version of the record.
pub(crate) const VERSION: &str = "version";

/// The hidden field with the time zone that the form was made in. By now the reader may have chosen another.
pub(crate) const ZONE: &str = "zone";

/// What was sent with a form: names and values, in order.
#[derive(Deserialize)]
#[serde(transparent)]
pub(crate) struct Entered(pub(crate) Vec<(String, String)>);

impl Entered {
    /// The value of a field; empty when it is absent.
    pub(crate) fn value(&self, name: &str) -> &str {
        self.0.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// The button that was pressed; empty when the form is to be saved.
    pub(crate) fn action(&self) -> &str {
        self.value(ACTION)
    }

    /// The record that was entered. `base` is the record before, or null; what the form does not show,
    /// and what was not touched, stays as it is there.
    pub(crate) fn record(&self, parts: &[Part], base: &Value, times: &Times<'_>) -> Value {
        let mut record = base.clone();
        let mut values: HashMap<_, Vec<_>> = HashMap::new();
        for (name, value) in &self.0 {
            values.entry(name.as_str()).or_default().push(value.as_str());
        }
        let zone = TimeZone::named(self.value(ZONE)).unwrap_or_else(|| times.zone().clone());
        Reader { values, times: &times.in_zone(zone) }.read(parts, "", &mut record);
        self.act(&mut record);
        record
    }

    /// The version of the record that the form was made from.
    pub(crate) fn version(&self) -> Option<Version> {
        self.value(VERSION).parse().ok().map(Version)
    }

    /// Whether a button was pressed that changes the rows of the form and saves nothing.
    pub(crate) fn is_action(&self) -> bool {
        !self.action().is_empty()
    }

    /// Does what the pressed button says: `PATH add`, `PATH[2] up`, `PATH[2] down` or `PATH[2] remove`.
    fn act(&self, record: &mut Value) {
        let Some((path, action)) = self.action().rsplit_once(' ') else { return };
        if action == "add" {
            if let Some(rows) = place(record, path).and_then(Value::as_array_mut) {
                rows.push(Value::Object(Map::new()));
            }
            return;
        }
        let Some((path, at)) = element(path) else { return };
        let Some(rows) = place(record, path).and_then(Value::as_array_mut) else { return };
        if at >= rows.len() {
            return;
        }
        match action {
            "up" if at > 0 => rows.swap(at - 1, at),
            "down" if at + 1 < rows.len() => rows.swap(at, at + 1),
            "remove" => drop(rows.remove(at)),
            _ => {}
        }
    }
}

/// Reads the fields of a form. They are found by their names in one step, because a form may have
/// thousands.
struct Reader<'a> {
    values: HashMap<&'a str, Vec<&'a str>>,
    times: &'a Times<'a>,
}

impl Reader<'_> {
    fn values(&self, name: &str) -> &[&str] {
        self.values.get(name).map_or(&[], Vec::as_slice)
    }

    fn value(&self, name: &str) -> &str {
        self.values(name).first().copied().unwrap_or_default()
    }

    fn read(&self, parts: &[Part], prefix: &str, object: &mut Value) {
        for part in parts {
            match part {
                Part::Button { .. } => {}
                Part::Group { parts, .. } => self.read(parts, prefix, object),
                Part::Field(field) => {
                    let before = member(object, field.path);
                    let name = format!("{prefix}{}", field.path);
                    if let Some(value) = self.read_field(field, &name, before) {
                        set(object, field.path, value);
                    }
                }
                Part::Rows(rows) => {
                    let read = self.read_rows(rows, prefix, member(object, rows.path));
                    set(object, rows.path, Value::Array(read));
                }
            }
        }
    }

    fn read_rows(&self, rows: &Rows, prefix: &str, before: &Value) -> Vec<Value> {
        let name = format!("{prefix}{}", rows.path);
        let before = elements(before).iter();
        let before: HashMap<_, _> =
            before.filter_map(|row| Some((row["id"].as_str()?, row))).collect();
        let count = self.value(&name).parse().unwrap_or(0).min(MAX_ROWS);
        // Each row has sent its id, if only an empty one: what is read is bounded by what was sent.
        let prefixes = (0..count).map(|at| format!("{name}[{at}]."));
        let sent = prefixes.take_while(|prefix| !self.values(&format!("{prefix}id")).is_empty());
        let row = |prefix: String| {
            let known = before.get(self.value(&format!("{prefix}id"))).copied();
            let mut row = known.cloned().unwrap_or_else(|| Value::Object(Map::new()));
            self.read(rows.parts, &prefix, &mut row);
            row
        };
        sent.map(row).collect()
    }

    /// The entered value; `None` when the field shows what was there before.
    fn read_field(&self, field: &Field, name: &str, before: &Value) -> Option<Value> {
        let (typed, times) = (self.value(name), self.times);
        let text = typed.trim();
        let texts = |texts: Vec<&str>| Value::Array(texts.into_iter().map(Value::from).collect());
        let value = match field.kind {
            Kind::Flag => Value::Bool(text == "true"),
            Kind::Many(_) => texts(in_order_of(before, self.values(name).to_vec())),
            Kind::Boxes(_) => texts(self.values(name).to_vec()),
            // Texts with spaces at their ends, which only the API can store, stay as they are.
            Kind::Lines
                if before.is_array() && shown(field.kind, before, times) == normal(typed) =>
            {
                return None;
            }
            Kind::Lines => {
                texts(typed.lines().map(str::trim).filter(|line| !line.is_empty()).collect())
            }
            Kind::File => return None,
            _ if shown(field.kind, before, times) == normal(typed) => return None,
            _ if text.is_empty() => Value::Null,
            Kind::Number => number(text).unwrap_or_else(|| Value::from(text)),
            Kind::Instant => match times.instant(text) {
                Some(at) => Value::from(at.to_string()),
                None => Value::from(text),
            },
            Kind::LocalTime if text.len() == "2026-12-01T22:00".len() => {
                Value::from(format!("{text}:00"))
            }
            Kind::Paragraph => Value::from(normal(typed)),
            Kind::Line
            | Kind::Secret
            | Kind::LocalTime
            | Kind::Date
            | Kind::Choice(_)
            | Kind::One(_) => Value::from(text),
        };
        Some(value)
    }
}

/// Chosen values in the order that they had before; new ones follow. Browsers send them in the order of the
/// choices.
fn in_order_of<'a>(before: &Value, mut chosen: Vec<&'a str>) -> Vec<&'a str> {
    let before: Vec<_> = strings(before).collect();
    let place = |value: &&str| before.iter().position(|known| known == value);
    chosen.sort_by_key(|value| place(value).unwrap_or(usize::MAX));
    chosen
}

fn number(text: &str) -> Option<Value> {
    let text = text.replace(',', ".");
    let integer = text.parse::<i64>().ok().map(Value::from);
    integer.or_else(|| {
        text.parse::<f64>().ok().and_then(serde_json::Number::from_f64).map(Value::Number)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::office::form::tests::{FORM, TYPED, with_times};

    fn record(base: &Value, fields: &[(&str, &str)]) -> Value {
        let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        with_times(|_, times| Entered(fields.collect()).record(FORM, base, times))
    }

    #[test]
    fn rows_keep_what_the_form_does_not_show_and_move() {
        let base = json!({ "kept": 1, "rows": [{ "id": "a", "name": "A", "x": 1 }, { "id": "b", "name": "B" }] });
        let sent = [
            ("rows", "3"),
            ("rows[0].id", "b"),
            ("rows[0].name", "B"),
            ("rows[1].id", "a"),
            ("rows[1].name", "new"),
            ("rows[2].id", ""),
            ("rows[2].name", "C"),
            ("days", "MO"),
            ("days", "TU"),
        ];
        let (a, b, c) = (
            json!({ "id": "a", "name": "new", "x": 1 }),
            json!({ "id": "b", "name": "B" }),
            json!({ "name": "C" }),
        );
        let expected = |rows: &[&Value]| json!({ "kept": 1, "rows": rows, "days": ["MO", "TU"] });
        assert_eq!(record(&base, &sent), expected(&[&b, &a, &c]));
        for (action, rows) in [
            ("rows[0] down", &[&a, &b, &c][..]),
            ("rows[2] up", &[&b, &c, &a]),
            ("rows[1] remove", &[&b, &c]),
            ("rows add", &[&b, &a, &c, &json!({})]),
            ("rows[0] up", &[&b, &a, &c]),
            ("rows[9] remove", &[&b, &a, &c]),
            ("look", &[&b, &a, &c]),
        ] {
            let sent = [&sent[..], &[("do", action)]].concat();
            assert_eq!(record(&base, &sent), expected(rows), "{action}");
        }
    }

    #[test]
    fn only_rows_that_were_sent_are_read() {
        let rows = |fields| record(&Value::Null, fields)["rows"].clone();
        assert_eq!(rows(&[("rows", "1000")]), json!([]));
        let sent = [("rows", "9"), ("rows[0].id", ""), ("rows[2].id", "")];
        assert_eq!(rows(&sent), json!([{}]));
    }

    fn typed_on(fields: &[(&str, &str)], base: &Value) -> Value {
        let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        with_times(|_, times| Entered(fields.collect()).record(TYPED, base, times))
    }

    #[test]
    fn what_is_typed_becomes_the_members_of_the_api() {
        let typed = [
            ("name", " Gate "),
            ("latitude", "51,5"),
            ("tags", "a, b\r\n\r\n c "),
            ("schedule.start", "2026-12-01T22:00"),
            ("startAt", "2026-12-01T22:00"),
            ("steps", "1"),
            ("steps[0].id", ""),
            ("steps[0].name", "Door"),
        ];
        let expected = json!({
            "name": "Gate",
            "latitude": 51.5,
            "tags": ["a, b", "c"],
            "schedule": { "start": "2026-12-01T22:00:00" },
            "startAt": "2026-12-01T21:00:00.000Z",
            "published": false,
            "steps": [{ "name": "Door" }],
        });
        assert_eq!(typed_on(&typed, &Value::Null), expected);
    }

    #[test]
    fn what_has_another_form_is_kept_for_the_reader_and_the_fault() {
        let typed = typed_on(&[("latitude", "north"), ("startAt", "soon")], &Value::Null);
        assert_eq!((&typed["latitude"], &typed["startAt"]), (&json!("north"), &json!("soon")));
    }

    #[test]
    fn what_was_not_touched_or_is_not_shown_stays_to_the_millisecond() {
        let base = json!({
            "name": "Gate",
            "startAt": "2026-12-01T21:00:00.123Z",
            "hidden": 1,
            "steps": [{ "id": "a", "name": "Door", "hidden": 2 }, { "id": "b", "name": "Roof" }],
        });
        let typed = [
            ("name", "Gate"),
            ("startAt", "2026-12-01T22:00"),
            ("steps", "2"),
            ("steps[0].id", "b"),
            ("steps[0].name", "Roof"),
            ("steps[1].id", "a"),
            ("steps[1].name", "Main door"),
        ];
        let saved = typed_on(&typed, &base);
        assert_eq!((&saved["startAt"], &saved["hidden"]), (&base["startAt"], &json!(1)));
        let steps =
            json!([{ "id": "b", "name": "Roof" }, { "id": "a", "name": "Main door", "hidden": 2 }]);
        assert_eq!(saved["steps"], steps);
    }
}
