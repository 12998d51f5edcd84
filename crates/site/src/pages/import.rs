//! People and points from a CSV file: a check first, then the import.

use actix_web::http::StatusCode;
use askama::Template;
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use patrol_application::ImportService;
use patrol_domain::{Fault, Named as _, Rule, ids::Uuid, point::Point, user::User};
use patrol_http::{
    Cause, CheckedFile, FileFault, Import, ImportedFile, LineFault, MAX_FILE, MAX_LINES, PageError,
};
use patrol_record::json::fields::{Expected, TypeFault};
use serde::Deserialize;

use super::HandlerResult;
use crate::{
    form::{FileForm, Form},
    office::{
        faults::FormFault,
        form::element,
        table::{Cell, Column, Table},
    },
    once::once,
    shared::SiteServices,
    texts::{Text, Texts},
    view::{self, Frame, redirect},
    visit::{Administrator, SignedIn},
};

/// The largest form with the content of a checked file, which is a third longer as text.
const MAX_CHECKED: usize = MAX_FILE / 3 * 4 + (64 << 10);

#[derive(Template)]
#[template(path = "import.html")]
struct Page<'a> {
    frame: Frame<'a>,
    kind: Kind,
    /// The columns of each kind, in words.
    columns: [String; 2],
    checked: Option<Checked<'a>>,
}

/// The columns of a file, in words.
fn columns<T: ImportedFile>(t: &Texts, kind: &Text) -> String {
    let (needed, others): (Vec<_>, Vec<_>) =
        patrol_http::columns::<T>().partition(|(_, is_required)| *is_required);
    let names = |columns: Vec<(&'static str, bool)>| {
        columns.into_iter().map(|(name, _)| name).collect::<Vec<_>>().join(", ")
    };
    t.import_columns.with_each(&[kind.to_string(), names(needed), names(others)])
}

/// A checked file.
struct Checked<'a> {
    /// What is wrong, if anything is.
    faults: Option<Table<'a>>,
    records: Table<'a>,
    /// The content, for the second form: a browser does not send a file twice, and changes line ends in texts.
    content: String,
    /// The id of the second form, so that it takes effect once.
    form: Uuid,
}

/// What the lines of a file are.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Default)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    #[default]
    People,
    Points,
}

#[derive(Deserialize)]
pub(crate) struct Chosen {
    #[serde(default)]
    kind: Kind,
}

#[derive(Deserialize)]
pub(crate) struct Stored {
    kind: Kind,
    content: String,
    form: String,
}

#[derive(Deserialize, Default)]
struct Wanted {
    /// How many records were imported before.
    imported: Option<usize>,
    #[serde(default)]
    kind: Kind,
}

/// A kind of record on the page.
trait Shown: ImportedFile {
    const KIND: Kind;

    fn service(services: &SiteServices) -> &ImportService<Self>;
    /// The headings of its cells.
    fn columns(t: &Texts) -> Vec<&Text>;
    fn cells(&self, t: &Texts) -> Vec<Cell>;
}

impl Shown for User {
    const KIND: Kind = Kind::People;

    fn service(services: &SiteServices) -> &ImportService<Self> {
        &services.import_people
    }

    fn columns(t: &Texts) -> Vec<&Text> {
        vec![&t.person_name, &t.role, &t.employee_number, &t.email, &t.tags]
    }

    fn cells(&self, t: &Texts) -> Vec<Cell> {
        vec![
            Cell::text(self.full_name()),
            Cell::text(view::role(t, self.role)),
            self.employee_no.clone().into(),
            self.email.clone().into(),
            Cell::joined(&self.tags),
        ]
    }
}

impl Shown for Point {
    const KIND: Kind = Kind::Points;

    fn service(services: &SiteServices) -> &ImportService<Self> {
        &services.import_points
    }

    fn columns(t: &Texts) -> Vec<&Text> {
        vec![&t.name, &t.kind, &t.coordinates, &t.qr_code, &t.import_rfid_code, &t.tags]
    }

    fn cells(&self, _: &Texts) -> Vec<Cell> {
        vec![
            Cell::text(&self.name),
            Cell::text(self.kind.name()),
            Cell::position(self.position),
            self.qr_code.clone().into(),
            self.rfid_code.clone().into(),
            Cell::joined(&self.tags),
        ]
    }
}

/// GET /import
pub(crate) async fn form(Administrator(signed_in): Administrator) -> HandlerResult {
    let wanted: Wanted = signed_in.visit.parameters()?;
    let frame = frame(&signed_in);
    let notice = wanted.imported.map(|count| frame.t.imported.with(&count));
    page(&signed_in, StatusCode::OK, Frame { notice, ..frame }, wanted.kind, None)
}

/// POST /import: shows what the file would make.
pub(crate) async fn check(form: FileForm<Administrator, Chosen>) -> HandlerResult {
    let FileForm { sender: Administrator(signed_in), fields: Chosen { kind }, file } = form;
    let Some(file) = file else {
        let frame = frame(&signed_in);
        let frame = frame.refused(&signed_in.visit.language().texts.fault_file);
        return page(&signed_in, StatusCode::UNPROCESSABLE_ENTITY, frame, kind, None);
    };
    match kind {
        Kind::People => check_as::<User>(&signed_in, &file).await,
        Kind::Points => check_as::<Point>(&signed_in, &file).await,
    }
}

async fn check_as<T: Shown>(signed_in: &SignedIn, file: &[u8]) -> HandlerResult {
    let _slow = signed_in.visit.page.begin_slow_request().await?;
    let service = T::service(&signed_in.visit.site.services);
    let checked = patrol_http::check(service, signed_in.actor, file).await;
    checked_page(signed_in, file, &checked.map_err(PageError::of)?)
}

/// GET /import/records: the address of the page with faults, once its language was changed.
pub(crate) async fn after_form(Administrator(signed_in): Administrator) -> HandlerResult {
    Ok(redirect(&signed_in.visit, "/import"))
}

/// POST /import/records: stores the records of a checked file. The same form sent again stores none.
pub(crate) async fn import(form: Form<Administrator, Stored, MAX_CHECKED>) -> HandlerResult {
    let Form { sender: Administrator(signed_in), fields: Stored { kind, content, form } } = form;
    let file = BASE64_URL_SAFE_NO_PAD.decode(content);
    let file = file.map_err(|_| PageError::new(StatusCode::BAD_REQUEST))?;
    match kind {
        Kind::People => import_as::<User>(&signed_in, file, &form).await,
        Kind::Points => import_as::<Point>(&signed_in, file, &form).await,
    }
}

async fn import_as<T: Shown>(signed_in: &SignedIn, file: Vec<u8>, form: &str) -> HandlerResult {
    let _slow = signed_in.visit.page.begin_slow_request().await?;
    let service = T::service(&signed_in.visit.site.services).clone();
    let sent = file.clone();
    let imported = once(signed_in, form, move |actor| async move {
        patrol_http::import(&service, actor, &sent).await
    });
    match imported.await? {
        Some(Ok(Import::Stored(records))) => {
            let kind = match T::KIND {
                Kind::People => "people",
                Kind::Points => "points",
            };
            let address = format!("/import?imported={}&kind={kind}", records.len());
            Ok(redirect(&signed_in.visit, &address))
        }
        Some(Ok(Import::Refused(checked))) => checked_page(signed_in, &file, &checked),
        Some(Err(failure)) => Err(PageError::of(failure)),
        None => {
            let frame = frame(signed_in);
            let sent_before = &signed_in.visit.language().texts.import_sent_before;
            page(signed_in, StatusCode::OK, frame.done(Some(sent_before)), T::KIND, None)
        }
    }
}

fn frame(signed_in: &SignedIn) -> Frame<'_> {
    let frame = Frame::of_user(signed_in, &signed_in.visit.language().texts.import);
    frame.returns_to("/import", signed_in.visit.request.method())
}

/// The answer with a checked file: 422 when it has faults.
fn checked_page<T: Shown>(
    signed_in: &SignedIn,
    file: &[u8],
    checked: &CheckedFile<T>,
) -> HandlerResult {
    let t = &signed_in.visit.language().texts;
    let CheckedFile { records, faults } = checked;
    let frame = frame(signed_in);
    let (status, frame) = if faults.is_empty() {
        let ready = t.import_ready.with(&records.len());
        (StatusCode::OK, Frame { notice: Some(ready), ..frame })
    } else {
        (StatusCode::UNPROCESSABLE_ENTITY, frame.refused(&t.import_refused))
    };
    let fault_rows = faults.iter().map(|fault| {
        vec![
            Cell::Number(fault.line),
            Cell::text(column(t, fault)),
            Cell::text(what_to_do::<T>(t, fault)),
        ]
    });
    let fault_columns = [&t.import_line, &t.import_column, &t.import_fault].map(Column::new);
    let record_rows = records.iter().map(|(line, record)| {
        let mut row = vec![Cell::Number(*line)];
        row.extend(record.cells(t));
        row
    });
    let record_columns = std::iter::once(&t.import_line).chain(T::columns(t)).map(Column::new);
    let checked = Checked {
        faults: (!faults.is_empty())
            .then(|| Table::new(t, [&t.import_wrong, &t.none_found], fault_columns, fault_rows)),
        records: Table::new(t, [&t.import_made, &t.none_found], record_columns, record_rows),
        content: BASE64_URL_SAFE_NO_PAD.encode(file),
        form: signed_in.visit.site.api.ids.next(),
    };
    page(signed_in, status, frame, T::KIND, Some(checked))
}

/// The column of a fault, with the place in its list.
fn column(t: &Texts, fault: &LineFault) -> String {
    let Some(identifier) = &fault.identifier else { return t.import_whole_line.to_string() };
    match element(identifier) {
        Some((column, at)) => {
            t.import_element.with_each(&[column, &at.saturating_add(1).to_string()])
        }
        None => identifier.clone(),
    }
}

/// What is wrong, and what to do.
fn what_to_do<T: ImportedFile>(t: &Texts, fault: &LineFault) -> String {
    match &fault.cause {
        Cause::File(fault) => match fault {
            FileFault::Empty => t.import_empty.to_string(),
            FileFault::TooLarge => t.import_too_large.with(&(MAX_FILE >> 20)),
            FileFault::TooManyLines => t.import_too_many_lines.with(&MAX_LINES),
            FileFault::NotUtf8 => t.import_not_utf8.to_string(),
            FileFault::UnclosedQuote => t.import_unclosed_quote.to_string(),
            FileFault::UnknownColumn => t.import_unknown_column.to_string(),
            FileFault::MissingColumn => t.import_missing_column.to_string(),
            FileFault::RepeatedColumn => t.import_repeated_column.to_string(),
            FileFault::Cells { expected, found } => t.import_cells.with_each(&[expected, found]),
        },
        // The file has the names of the API.
        Cause::Rule(Fault { rule: Rule::Enum(names), .. }) => {
            t.import_one_of.with(&names.join(", "))
        }
        Cause::Rule(Fault { rule: Rule::Unique, .. }) => t.import_unique.to_string(),
        Cause::Rule(Fault { rule: Rule::Reference, .. }) => t.import_reference.to_string(),
        Cause::Rule(rule) => {
            let FormFault { path, text, text_of_list } = FormFault::of_rule(t, rule);
            text_of_list.filter(|_| patrol_http::is_list_column::<T>(&path)).unwrap_or(text)
        }
        Cause::Type(TypeFault { expected: Expected::Number, .. }) => t.import_number.to_string(),
        Cause::Type(TypeFault { expected: Expected::Uuid, .. }) => t.import_id.to_string(),
        Cause::Type(TypeFault { expected: Expected::Array | Expected::Object, .. }) => {
            t.import_json.to_string()
        }
        Cause::Type(fault) => FormFault::of_type(t, fault.clone()).text,
    }
}

fn page(
    signed_in: &SignedIn,
    status: StatusCode,
    frame: Frame<'_>,
    kind: Kind,
    checked: Option<Checked<'_>>,
) -> HandlerResult {
    let t = frame.t;
    let columns = [columns::<User>(t, &t.people), columns::<Point>(t, &t.points)];
    view::page(&signed_in.visit, status, &Page { frame, kind, columns, checked })
}
