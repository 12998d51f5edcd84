//! Forms of records. A form is declared once as [`Part`]s; its fields are members of the API's record,
//! named by their paths. What a reader types becomes JSON, which the same code reads as the bodies of
//! the API.

use std::collections::{HashMap, HashSet};

use askama::{Template, filters::HtmlSafe};
use patrol_domain::Version;
use serde_json::{Map, Value};

use super::{faults::FormFault, table::Cell};
use crate::{
    texts::{Text, Texts},
    times::Times,
};

/// The most rows of one list in a form. The API's own limits are lower by default.
const MAX_ROWS: usize = 1_000;

/// The name of the buttons that add, move and remove rows.
pub(crate) const ACTION: &str = "do";

/// A text of the language.
pub(crate) type Label = for<'a> fn(&'a Texts) -> &'a Text;

/// A part of a form.
#[derive(Clone, Copy)]
pub(crate) enum Part {
    Field(Field),
    /// Fields that belong together.
    Group {
        legend: Label,
        parts: &'static [Part],
    },
    /// A list of objects.
    Rows(Rows),
    /// A button that shows the form again, with what it asks for below it, and saves nothing.
    Button {
        /// The value of [`ACTION`].
        action: &'static str,
        label: Label,
    },
}

/// A list of objects, each with the same parts. Rows can be added, moved and removed.
#[derive(Clone, Copy)]
pub(crate) struct Rows {
    pub(crate) path: &'static str,
    pub(crate) legend: Label,
    /// The button that adds a row.
    pub(crate) add: Label,
    /// The member that names a row in its buttons; of a choice, its text.
    pub(crate) name: &'static str,
    pub(crate) parts: &'static [Part],
}

impl Rows {
    /// The field of a row that shows this member.
    fn field(&self, path: &str) -> Option<&'static Field> {
        self.parts.iter().find_map(|part| match part {
            Part::Field(field) if field.path == path => Some(field),
            _ => None,
        })
    }
}

/// A field: one member of the record.
#[derive(Clone, Copy)]
pub(crate) struct Field {
    /// The path of the member, for example `schedule.timeZone`.
    pub(crate) path: &'static str,
    pub(crate) label: Label,
    hint: Option<Label>,
    kind: Kind,
    is_required: bool,
}

/// How a member is entered.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// One line of text.
    Line,
    /// Several lines of text.
    Paragraph,
    /// A number.
    Number,
    /// A list of texts, one a line.
    Lines,
    /// A box to tick.
    Flag,
    /// An instant, entered in the time zone of the reader.
    Instant,
    /// A date and a time without a zone.
    LocalTime,
    /// A date.
    Date,
    /// One of these values; the first is that of a new record.
    Choice(&'static [(&'static str, Label)]),
    /// One of the values of this source, or none.
    One(&'static str),
    /// Any of the values of this source.
    Many(&'static str),
    /// Any of these values, each a box to tick.
    Boxes(&'static [(&'static str, Label)]),
    /// A text that is never shown; empty when it stays as it is.
    Secret,
    /// A file, which is no member of the record.
    File,
}

impl Field {
    pub(crate) const fn new(path: &'static str, label: Label, kind: Kind) -> Self {
        Self { path, label, hint: None, kind, is_required: false }
    }

    pub(crate) const fn required(self) -> Self {
        Self { is_required: true, ..self }
    }

    pub(crate) const fn hint(self, hint: Label) -> Self {
        Self { hint: Some(hint), ..self }
    }

    pub(crate) const fn part(self) -> Part {
        Part::Field(self)
    }
}

/// The values of the sources of a form, each with its text: records by id, for example.
#[derive(Default)]
pub(crate) struct Sources(HashMap<&'static str, Vec<(String, String)>>);

impl Sources {
    pub(crate) fn with(mut self, source: &'static str, values: Vec<(String, String)>) -> Self {
        self.0.insert(source, values);
        self
    }

    fn of(&self, source: &str) -> &[(String, String)] {
        self.0.get(source).map_or(&[], Vec::as_slice)
    }
}

/// What was sent with a form: names and values, in order.
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
        Reader { values, times }.read(parts, "", &mut record);
        self.act(&mut record);
        record
    }

    /// The version of the record that the form was made from: a hidden field.
    pub(crate) fn version(&self) -> Option<Version> {
        self.value("version").parse().ok().map(Version)
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
        let Some((path, at)) = path.strip_suffix(']').and_then(|path| path.rsplit_once('[')) else {
            return;
        };
        let rows = place(record, path).and_then(Value::as_array_mut);
        let (Some(rows), Ok(at)) = (rows, at.parse::<usize>()) else { return };
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
        let before = before.as_array().map_or(&[][..], Vec::as_slice);
        let before: HashMap<_, _> =
            before.iter().filter_map(|row| Some((row["id"].as_str()?, row))).collect();
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
    let before: Vec<_> =
        before.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let place = |value: &&str| before.iter().position(|known| known == value);
    chosen.sort_by_key(|value| place(value).unwrap_or(usize::MAX));
    chosen
}

/// A text as browsers send it has other line ends than the one that it shows.
fn normal(text: &str) -> String {
    text.replace("\r\n", "\n")
}

fn number(text: &str) -> Option<Value> {
    let text = text.replace(',', ".");
    let integer = text.parse::<i64>().ok().map(Value::from);
    integer.or_else(|| {
        text.parse::<f64>().ok().and_then(serde_json::Number::from_f64).map(Value::Number)
    })
}

/// The member at a path of names; null when there is none.
pub(crate) fn member<'a>(object: &'a Value, path: &str) -> &'a Value {
    path.split('.').fold(object, |object, name| &object[name])
}

/// Sets the member at a path of names, and makes the objects on the way.
pub(crate) fn set(object: &mut Value, path: &str, value: Value) {
    if !object.is_object() {
        *object = Value::Object(Map::new());
    }
    let Some(members) = object.as_object_mut() else { return };
    match path.split_once('.') {
        None => drop(members.insert(path.to_owned(), value)),
        Some((name, rest)) => set(members.entry(name).or_insert(Value::Null), rest, value),
    }
}

/// The members of `after` that are not as in `before`.
pub(crate) fn changed(before: &Value, after: &Value) -> Map<String, Value> {
    let members = after.as_object().into_iter().flatten();
    let changed = members.filter(|(name, value)| before.get(*name) != Some(*value));
    changed.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// The value at a path such as `steps[0].actions`.
fn place<'a>(value: &'a mut Value, path: &str) -> Option<&'a mut Value> {
    path.split(['.', '[', ']']).filter(|name| !name.is_empty()).try_fold(value, |value, name| {
        match value {
            Value::Array(rows) => rows.get_mut(name.parse::<usize>().ok()?),
            Value::Object(members) => members.get_mut(name),
            _ => None,
        }
    })
}

/// The texts of a member: its own, or those of its list.
fn strings(value: &Value) -> impl Iterator<Item = &str> {
    let list = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    list.iter().filter_map(Value::as_str)
}

/// Gives rows the order in which they stand, unless they have it already: what `order` says in the
/// record may have gaps.
pub(crate) fn keep_order(rows: &mut [Value]) {
    let orders: Option<Vec<_>> = rows.iter().map(|row| row["order"].as_i64()).collect();
    if !orders.is_some_and(|orders| orders.is_sorted()) {
        rows.iter_mut().for_each(|row| set(row, "order", Value::Null));
    }
}

/// The text of a member in its field.
fn shown(kind: Kind, value: &Value, times: &Times<'_>) -> String {
    match (kind, value) {
        (Kind::Instant, Value::String(text)) => match patrol_domain::Timestamp::parse(text) {
            Some(at) => times.entered(at),
            None => text.clone(),
        },
        (Kind::LocalTime, Value::String(text)) => {
            text.strip_suffix(":00").filter(|short| short.len() == 16).unwrap_or(text).to_owned()
        }
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

/// The label of the field that shows a member.
fn label_of(parts: &[Part], path: &str) -> Option<Label> {
    parts.iter().find_map(|part| match part {
        Part::Button { .. } => None,
        Part::Group { parts, .. } => label_of(parts, path),
        Part::Field(field) => is_of(field.path, path).then_some(field.label),
        Part::Rows(rows) => {
            let rest = path.strip_prefix(rows.path)?.strip_prefix('[')?;
            label_of(rows.parts, rest.split_once("].")?.1)
        }
    })
}

/// Whether a path is that of this member, or of an element of its list.
fn is_of(member: &str, path: &str) -> bool {
    path.strip_prefix(member).is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
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
    faults: Vec<&'a str>,
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
    faults: Vec<&'a str>,
    /// Whether a row has a field with its id.
    shows_ids: bool,
    rows: Vec<RowView>,
}

#[derive(Template)]
#[template(path = "office/button.html")]
struct ButtonView<'a> {
    action: &'a str,
    label: &'a Text,
    answer: Option<Html>,
}

struct RowView {
    /// What its buttons call it.
    name: String,
    id: String,
    html: Html,
}

/// HTML that the templates of this module have made.
struct Html(String);

impl std::fmt::Display for Html {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.0)
    }
}

impl HtmlSafe for Html {}

impl FormView<'_> {
    /// The HTML of the parts of a form with the members of a record.
    ///
    /// # Errors
    /// When a template fails, which is a defect.
    pub(crate) fn html(&self, parts: &[Part], record: &Value) -> askama::Result<String> {
        let now = self.changed.unwrap_or(&Value::Null);
        self.parts(parts, "", record, now)
    }

    /// What the summary of faults says: the path of each member, and the label of its field with the
    /// fault.
    pub(crate) fn summary(&self, parts: &[Part]) -> Vec<(&str, String)> {
        let said = |fault: &'_ FormFault| match label_of(parts, &fault.path) {
            Some(label) => format!("{}: {}", label(self.t), fault.text),
            None => fault.text.clone(),
        };
        self.faults.iter().map(|fault| (fault.path.as_str(), said(fault))).collect()
    }

    fn parts(
        &self,
        parts: &[Part],
        prefix: &str,
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
                    html.push_str(&self.parts(parts, prefix, object, now)?);
                    html.push_str("</fieldset>");
                }
                Part::Button { action, label } => {
                    let html_of =
                        |(of, html): &(&str, String)| (of == action).then(|| html.clone());
                    let button = ButtonView {
                        action,
                        label: label(self.t),
                        answer: self.answer.as_ref().and_then(html_of).map(Html),
                    };
                    html.push_str(&button.render()?);
                }
                Part::Field(field) => html.push_str(&self.field(field, prefix, object, now)?),
                Part::Rows(rows) => html.push_str(&self.rows(rows, prefix, object, now)?),
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
        let is_chosen = |choice: &str| match value {
            Value::Array(chosen) => chosen.iter().any(|chosen| chosen == choice),
            value => value == choice,
        };
        let choice = |value: &str, text: String| ChoiceView {
            is_chosen: is_chosen(value),
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
        let text_of = |value: &Value| match field.kind {
            Kind::Choice(_) | Kind::One(_) | Kind::Many(_) | Kind::Boxes(_) => {
                let text = |value: &str| {
                    choices
                        .iter()
                        .find(|choice| choice.value == value)
                        .map(|choice| choice.text.clone())
                };
                strings(value).filter_map(text).collect::<Vec<_>>().join(", ")
            }
            kind => shown(kind, value, self.times),
        };
        let changed = self.changed.is_some() && member_of(now) != value;
        let changed = changed.then(|| text_of(member_of(now)));
        let faults = self.faults_of(&name);
        FieldView {
            t: self.t,
            label: (field.label)(self.t),
            hint: field.hint.map(|hint| hint(self.t)),
            kind: field.kind,
            is_required: field.is_required,
            value: shown(field.kind, value, self.times),
            choices,
            faults,
            changed,
            name,
        }
        .render()
    }

    fn rows(
        &self,
        rows: &Rows,
        prefix: &str,
        object: &Value,
        now: &Value,
    ) -> askama::Result<String> {
        let name = format!("{prefix}{}", rows.path);
        let present = member(object, rows.path).as_array().map_or(&[][..], Vec::as_slice);
        let now = member(now, rows.path).as_array().map_or(&[][..], Vec::as_slice);
        let mut views = Vec::with_capacity(present.len());
        for (at, row) in present.iter().enumerate() {
            let id = row["id"].as_str().unwrap_or_default().to_owned();
            let same = now.iter().find(|now| now["id"] == row["id"]).unwrap_or(row);
            let html = self.parts(rows.parts, &format!("{name}[{at}]."), row, same)?;
            let row_name = self.row_name(rows, row).filter(|name| !name.is_empty());
            let row_name = row_name.map_or_else(|| (at + 1).to_string(), str::to_owned);
            views.push(RowView { name: row_name, id, html: Html(html) });
        }
        let faults = self.faults.iter().filter(|fault| fault.path == name);
        RowsView {
            t: self.t,
            legend: (rows.legend)(self.t),
            add: (rows.add)(self.t),
            faults: faults.map(|fault| fault.text.as_str()).collect(),
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

    /// The faults of a member, and of the elements of its list.
    fn faults_of(&self, name: &str) -> Vec<&str> {
        let faults = self.faults.iter().filter(|fault| is_of(name, &fault.path));
        faults.map(|fault| fault.text.as_str()).collect()
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

    fn input_type(&self) -> &'static str {
        match self.kind {
            Kind::Instant | Kind::LocalTime => "datetime-local",
            Kind::Date => "date",
            Kind::Secret => "password",
            Kind::File => "file",
            _ => "text",
        }
    }

    /// The attributes of the field for assistive technology and keyboards.
    fn attributes(&self) -> Html {
        let mut html = String::new();
        if self.is_required {
            html.push_str(" required");
        }
        if matches!(self.kind, Kind::Number) {
            html.push_str(" inputmode=\"decimal\" class=\"short\"");
        }
        if self.is_described() {
            html.push_str(&format!(" aria-describedby=\"{}-about\"", self.name));
        }
        if !self.faults.is_empty() {
            html.push_str(" aria-invalid=\"true\"");
        }
        Html(html)
    }
}

#[cfg(test)]
mod tests {
    use patrol_domain::{Timestamp, schedule::TimeZone};
    use serde_json::json;

    use super::*;
    use crate::texts::Languages;

    const TYPED: &[Part] = &[
        Field::new("name", |t| &t.name, Kind::Line).required().part(),
        Field::new("latitude", |t| &t.latitude, Kind::Number).part(),
        Field::new("tags", |t| &t.tags, Kind::Lines).part(),
        Field::new("schedule.start", |t| &t.name, Kind::LocalTime).part(),
        Field::new("startAt", |t| &t.name, Kind::Instant).part(),
        Field::new("published", |t| &t.name, Kind::Flag).part(),
        Part::Rows(Rows {
            path: "steps",
            legend: |t| &t.points,
            add: |t| &t.new_point,
            name: "name",
            parts: &[Field::new("name", |t| &t.name, Kind::Line).part()],
        }),
    ];

    const ROWS: Rows = Rows {
        path: "rows",
        legend: |t| &t.name,
        add: |t| &t.name,
        name: "name",
        parts: &[Field::new("name", |t| &t.name, Kind::Line).part()],
    };

    const FORM: &[Part] = &[
        Field::new("days", |t| &t.name, Kind::Boxes(&[("MO", |t| &t.name)])).part(),
        Field::new("place", |t| &t.name, Kind::One("places")).part(),
        Part::Rows(ROWS),
        Part::Button { action: "look", label: |t| &t.search },
    ];

    fn with_times<T>(work: impl FnOnce(&Texts, &Times<'_>) -> T) -> T {
        let languages = Languages::load().unwrap();
        let t = &languages.default().texts;
        let now = Timestamp::parse("2026-06-01T00:00:00Z").unwrap();
        work(t, &Times::new(TimeZone::named("Europe/Berlin").unwrap(), t, now))
    }

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
    fn rows_get_a_new_order_only_when_they_have_moved() {
        let orders = |orders: Value| {
            let mut rows: Vec<_> =
                orders.as_array().unwrap().iter().map(|order| json!({ "order": order })).collect();
            keep_order(&mut rows);
            rows.iter().map(|row| row["order"].clone()).collect::<Value>()
        };
        for same in [json!([]), json!([5, 9]), json!([3, 3, 4])] {
            assert_eq!(orders(same.clone()), same);
        }
        assert_eq!(orders(json!([9, 5])), json!([null, null]));
        assert_eq!(orders(json!([5, null])), json!([null, null]));
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

    #[test]
    fn a_form_escapes_what_was_typed_and_names_each_fault() {
        let html = with_times(|t, times| {
            let fault = |path: &str| FormFault { path: path.to_owned(), text: "Wrong.".to_owned() };
            let faults = [fault("name"), fault("tags[3]"), fault("steps[0].name"), fault("other")];
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
            let summary = view.summary(TYPED).into_iter().map(|(_, text)| text).collect::<Vec<_>>();
            assert_eq!(summary, ["Name: Wrong.", "Tags: Wrong.", "Name: Wrong.", "Wrong."]);
            view.html(TYPED, &record).unwrap()
        });
        assert!(html.contains("value=\"&#60;b&#62;&#34;\""), "{html}");
        assert_eq!(html.matches("aria-invalid").count(), 3, "{html}");
        assert!(html.contains("aria-label=\"Remove &#38;\""), "{html}");
    }
}
