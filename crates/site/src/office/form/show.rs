//! Showing a form: its fields with the members of a record, and what is wrong with them.

use std::collections::HashSet;

use askama::{Template, filters::Safe};
use patrol_domain::{Timestamp, schedule::LocalDate};
use serde_json::Value;

use super::{
    member::{elements, member, strings},
    parts::{Field, Kind, Part, Rows, Sources},
    summary::{is_of, said},
};
use crate::{
    office::{faults::FormFault, table::Cell},
    texts::{Text, Texts},
    times::{Times, local_time, short},
    view::yes_or_no,
};

/// A text as browsers send it has other line ends than the one that it shows.
pub(super) fn normal(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// The text of a member in its field.
pub(super) fn shown(kind: Kind, value: &Value, times: &Times<'_>) -> String {
    match (kind, value) {
        (Kind::Instant, Value::String(text)) => match Timestamp::parse(text) {
            Some(at) => times.entered(at),
            None => text.clone(),
        },
        (Kind::LocalTime, Value::String(text)) => short(text).to_owned(),
        (Kind::Secret, _) | (_, Value::Null) => String::new(),
        (_, Value::String(text)) => normal(text),
        (_, texts @ Value::Array(_)) => strings(texts).collect::<Vec<_>>().join("\n"),
        (_, value) => value.to_string(),
    }
}

/// What a form shows.
pub(crate) struct FormView<'a> {
    pub(crate) t: &'a Texts,
    pub(crate) times: &'a Times<'a>,
    pub(crate) sources: &'a Sources,
    pub(crate) faults: &'a [FormFault],
    /// The record as it is now, when somebody has changed it meanwhile: fields show it beside what was
    /// typed.
    pub(crate) changed: Option<&'a Value>,
    /// What stands below a button: its action, and HTML that a template of this crate has made.
    pub(crate) answer: Option<(&'a str, String)>,
}

/// A field as its template shows it.
#[derive(Template)]
#[template(path = "office/field.html")]
struct FieldView<'a> {
    t: &'a Texts,
    /// The path from the root, which is the name and the id of the field.
    name: String,
    label: &'a Text,
    hint: Option<&'a Text>,
    kind: Kind,
    is_required: bool,
    value: String,
    choices: Vec<ChoiceView>,
    faults: Vec<String>,
    /// The value that the record has got meanwhile.
    changed: Option<String>,
}

struct ChoiceView {
    value: String,
    text: String,
    is_chosen: bool,
}

#[derive(Template)]
#[template(path = "office/rows.html")]
struct RowsView<'a> {
    t: &'a Texts,
    name: String,
    legend: &'a Text,
    add: &'a Text,
    /// The name of the row that the list is in; empty when it is in none.
    of: &'a str,
    faults: Vec<String>,
    /// The rows that the record has got meanwhile, when others were added, removed or moved.
    changed: Option<String>,
    /// Whether a row has a field with its id.
    shows_ids: bool,
    rows: Vec<RowView>,
}

#[derive(Template)]
#[template(path = "office/button.html")]
struct ButtonView<'a> {
    action: &'a str,
    label: &'a Text,
    answer: Option<Safe<String>>,
}

struct RowView {
    /// What its buttons call it.
    name: String,
    id: String,
    html: Safe<String>,
}

impl FormView<'_> {
    /// The HTML of the parts of a form with the members of a record.
    ///
    /// # Errors
    /// When a template fails, which is a defect.
    pub(crate) fn html(&self, parts: &[Part], record: &Value) -> askama::Result<String> {
        let now = self.changed.unwrap_or(&Value::Null);
        self.parts(parts, ("", ""), record, now)
    }

    fn parts(
        &self,
        parts: &[Part],
        (prefix, of): (&str, &str),
        object: &Value,
        now: &Value,
    ) -> askama::Result<String> {
        let mut html = String::new();
        for part in parts {
            match part {
                Part::Group { legend, parts } => {
                    html.push_str("<fieldset><legend>");
                    html.push_str(&Cell::text(legend(self.t)).render()?);
                    html.push_str("</legend>");
                    html.push_str(&self.parts(parts, (prefix, of), object, now)?);
                    html.push_str("</fieldset>");
                }
                Part::Button { action, label } => {
                    let html_of =
                        |(of, html): &(&str, String)| (of == action).then(|| html.clone());
                    let button = ButtonView {
                        action,
                        label: label(self.t),
                        answer: self.answer.as_ref().and_then(html_of).map(Safe),
                    };
                    html.push_str(&button.render()?);
                }
                Part::Field(field) => html.push_str(&self.field(field, prefix, object, now)?),
                Part::Rows(rows) => html.push_str(&self.rows(rows, (prefix, of), object, now)?),
            }
        }
        Ok(html)
    }

    fn field(
        &self,
        field: &Field,
        prefix: &str,
        object: &Value,
        now: &Value,
    ) -> askama::Result<String> {
        let name = format!("{prefix}{}", field.path);
        let member_of = |object| member(object, field.path);
        let value = member_of(object);
        let chosen: HashSet<_> = strings(value).collect();
        let choice = |value: &str, text: String| ChoiceView {
            is_chosen: chosen.contains(value),
            value: value.to_owned(),
            text,
        };
        let mut choices: Vec<_> = match field.kind {
            Kind::Choice(choices) | Kind::Boxes(choices) => choices
                .iter()
                .map(|(value, text)| choice(value, text(self.t).to_string()))
                .collect(),
            Kind::One(source) | Kind::Many(source) => {
                let of = self.sources.of(source).iter();
                of.map(|(value, text)| choice(value, text.clone())).collect()
            }
            _ => Vec::new(),
        };
        // What is no longer offered, for example a deleted point, stays until another value is chosen.
        if let Kind::One(_) | Kind::Many(_) = field.kind {
            let known: HashSet<_> = choices.iter().map(|choice| choice.value.clone()).collect();
            let unknown = strings(value).filter(|value| !known.contains(*value));
            choices.extend(unknown.map(|value| choice(value, self.t.not_offered.to_string())));
        }
        // A list shows a few values at once: those that are chosen.
        if let Kind::Many(_) = field.kind {
            choices.sort_by_key(|choice| !choice.is_chosen);
        }
        let text_of = |value: &Value| match field.kind {
            Kind::Choice(_) | Kind::One(_) | Kind::Many(_) | Kind::Boxes(_) => {
                let text = |value: &str| {
                    let choice = choices.iter().find(|choice| choice.value == value);
                    choice.map_or_else(
                        || self.t.not_offered.to_string(),
                        |choice| choice.text.clone(),
                    )
                };
                strings(value).map(text).collect::<Vec<_>>().join(", ")
            }
            Kind::Flag => yes_or_no(self.t, value == true).to_string(),
            Kind::Instant => {
                let at = value.as_str().and_then(Timestamp::parse);
                at.map_or_else(String::new, |at| self.times.time(at).as_text().to_owned())
            }
            kind => shown(kind, value, self.times),
        };
        let changed = self.changed.is_some() && member_of(now) != value;
        let changed = changed.then(|| text_of(member_of(now)));
        let faults = self.faults.iter().filter(|fault| is_of(&name, &fault.path));
        let faults = faults.map(|fault| {
            said(self.t, fault, Some(field.kind), fault.path.get(name.len()..).unwrap_or_default())
        });
        FieldView {
            t: self.t,
            label: (field.label)(self.t),
            hint: field.hint.map(|hint| hint(self.t)),
            kind: field.kind,
            is_required: field.is_required,
            value: shown(field.kind, value, self.times),
            choices,
            faults: faults.collect(),
            changed,
            name,
        }
        .render()
    }

    fn rows(
        &self,
        rows: &Rows,
        (prefix, of): (&str, &str),
        object: &Value,
        now: &Value,
    ) -> askama::Result<String> {
        let name = format!("{prefix}{}", rows.path);
        let present = elements(member(object, rows.path));
        let now = elements(member(now, rows.path));
        let mut views = Vec::with_capacity(present.len());
        for (at, row) in present.iter().enumerate() {
            let id = row["id"].as_str().unwrap_or_default().to_owned();
            let same = now.iter().find(|now| now["id"] == row["id"]).unwrap_or(row);
            let row_name = match (self.row_name(rows, row).filter(|name| !name.is_empty()), of) {
                (Some(name), _) => name.to_owned(),
                (None, "") => (at + 1).to_string(),
                (None, of) => format!("{}, {of}", at + 1),
            };
            let html = self.parts(rows.parts, (&format!("{name}[{at}]."), &row_name), row, same)?;
            views.push(RowView { name: row_name, id, html: Safe(html) });
        }
        let ids = |rows: &[Value]| rows.iter().map(|row| row["id"].clone()).collect::<Vec<_>>();
        let is_changed = self.changed.is_some() && ids(now) != ids(present);
        let names = now.iter().filter_map(|row| self.row_name(rows, row));
        let changed = is_changed.then(|| names.collect::<Vec<_>>().join(", "));
        let faults = self.faults.iter().filter(|fault| fault.path == name);
        RowsView {
            t: self.t,
            of,
            changed,
            legend: (rows.legend)(self.t),
            add: (rows.add)(self.t),
            faults: faults.map(|fault| said(self.t, fault, None, "")).collect(),
            shows_ids: rows.field("id").is_some(),
            rows: views,
            name,
        }
        .render()
    }

    /// What the buttons of a row call it.
    fn row_name<'a>(&'a self, rows: &Rows, row: &'a Value) -> Option<&'a str> {
        let name = row[rows.name].as_str()?;
        match rows.field(rows.name).map(|field| field.kind) {
            Some(Kind::One(source)) => {
                let chosen = self.sources.of(source).iter().find(|(value, _)| value == name);
                chosen.map(|(_, text)| text.as_str())
            }
            _ => Some(name),
        }
    }
}

impl FieldView<'_> {
    /// Whether something stands between the label and the field.
    const fn is_described(&self) -> bool {
        self.hint.is_some()
            || !self.faults.is_empty()
            || self.changed.is_some()
            || matches!(self.kind, Kind::Many(_))
            || self.lacks_choices()
    }

    /// Whether one of the records has to be chosen, and there are none.
    const fn lacks_choices(&self) -> bool {
        matches!(self.kind, Kind::One(_)) && self.is_required && self.choices.is_empty()
    }

    /// The type of the field. What is no date or time stays for the reader in a field for texts: the others
    /// would be empty.
    fn input_type(&self) -> &'static str {
        let value = self.value.as_str();
        let is_date = || value.is_empty() || LocalDate::parse(value).is_some();
        let is_time = || value.is_empty() || local_time(value).is_some();
        match self.kind {
            Kind::Instant | Kind::LocalTime if is_time() => "datetime-local",
            Kind::Date if is_date() => "date",
            Kind::Secret => "password",
            Kind::File => "file",
            _ => "text",
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::office::form::{
        summary,
        tests::{FORM, TYPED, with_times},
    };

    #[test]
    fn a_value_that_is_not_offered_stays_chosen() {
        let html = with_times(|t, times| {
            let sources = Sources::default().with("places", vec![("p".into(), "Port".into())]);
            let answer = Some(("look", "<i>found</i>".to_owned()));
            let view = FormView { t, times, sources: &sources, faults: &[], changed: None, answer };
            view.html(FORM, &json!({ "place": "gone", "days": ["MO"] })).unwrap()
        });
        assert!(html.contains("<option value=\"gone\" selected>Not in this list"), "{html}");
        assert!(html.contains("name=\"days\" value=\"MO\" checked"), "{html}");
        assert!(html.contains("<i>found</i>"), "{html}");
    }

    #[test]
    fn a_form_escapes_what_was_typed_and_names_each_fault() {
        let html = with_times(|t, times| {
            let fault = |path: &str| FormFault {
                path: path.to_owned(),
                text: "Wrong.".to_owned(),
                text_of_list: Some("Too many.".to_owned()),
            };
            let faults = ["steps", "other", "steps[0].name", "tags", "tags[3]", "name"].map(fault);
            let sources = Sources::default();
            let view = FormView {
                t,
                times,
                sources: &sources,
                faults: &faults,
                changed: None,
                answer: None,
            };
            let record = json!({ "name": "<b>\"", "steps": [{ "name": "&" }] });
            let summary = summary::of(t, TYPED, &faults);
            let said = [
                ("name", "Name: Wrong."),
                ("tags", "Tags: Too many."),
                ("tags", "Tags: Line 4: Wrong."),
                ("steps", "Points: Too many."),
                ("steps[0].name", "Points 1 › Name: Wrong."),
                ("other", "Wrong."),
            ];
            assert_eq!(summary, said.map(|(id, text)| (id, text.to_owned())));
            view.html(TYPED, &record).unwrap()
        });
        assert!(html.contains("value=\"&#60;b&#62;&#34;\""), "{html}");
        assert_eq!(html.matches("aria-invalid").count(), 3, "{html}");
        assert!(html.contains("aria-label=\"Remove &#38;\""), "{html}");
    }
}
