//! The records that have pages. A kind of record says what differs.

use std::future::Future;

use actix_web::{Error, http::StatusCode};
use patrol_application::RecordService;
use patrol_domain::{Drafted, Holder, Target, ids::Uuid, ids::parse, list::Listed};
use patrol_http::{PageError, Services};
use patrol_record::{Recorded, json::fields};
use serde_json::Value;

use super::{
    content::RecordContent,
    faults::FormFault,
    form::{Label, Part, Sources},
    form_page::Refused,
};
use crate::{pages::if_found, visit::SignedIn};

/// A kind of record with pages.
pub(crate) trait OfficeRecord: Drafted<Id: From<Uuid>> + Recorded + Clone {
    /// The path of the list of all, for example `/locations`.
    const PATH: &'static str;
    /// The form.
    const FORM: &'static [Part];
    /// The heading of the form of a new record.
    const NEW_HEADING: Label;
    /// What the question before a deletion says of other records.
    const DELETION_ABOUT: Option<Label> = None;
    /// The use cases.
    const SERVICE: fn(&Services) -> &RecordService<Self>;
    /// Reads the body of the API.
    const READ: fn(&mut fields::Fields<'_>) -> Self::Draft;
    /// The order in which a field offers the records: by their names.
    const BY_NAME: <Self::List as Listed>::Sort;

    /// The name.
    fn name(&self) -> &str;

    /// The record that the form of a new one shows. Parameters of the address may say where it belongs.
    fn template(_signed_in: &SignedIn) -> Value {
        Value::Null
    }

    /// What the form shows of the record of the API: members may have another form there.
    fn to_form(_signed_in: &SignedIn, record: Value) -> Value {
        record
    }

    /// The record of the API that was entered, and what is wrong with members that only the form has.
    /// `before`: the record of the API that the form was made from.
    fn from_form(
        _signed_in: &SignedIn,
        entered: &Value,
        _before: &Value,
    ) -> (Value, Vec<FormFault>) {
        (entered.clone(), Vec::new())
    }

    /// What else is wrong with what is to be saved, that the rules of records allow or leave out.
    ///
    /// # Errors
    /// When the records that it refers to cannot be read.
    fn check(
        _signed_in: &SignedIn,
        _entered: &Value,
        _before: &Value,
    ) -> impl Future<Output = Result<Vec<FormFault>, Error>> {
        std::future::ready(Ok(Vec::new()))
    }

    /// Fills in what follows from what was entered. `action`: the button that was pressed, or empty.
    fn complete(
        _signed_in: &SignedIn,
        _action: &str,
        _entered: &mut Value,
    ) -> impl Future<Output = Result<(), Error>> {
        std::future::ready(Ok(()))
    }

    /// What the form shows below a button that was pressed, if anything: HTML that a template of this crate has
    /// made. `record`: the record of the API, and what is wrong with it.
    ///
    /// # Errors
    /// Why there is no answer.
    fn answer(
        _signed_in: &SignedIn,
        _action: &str,
        _record: (Value, Vec<FormFault>),
    ) -> impl Future<Output = Result<Option<String>, Refused>> {
        std::future::ready(Ok(None))
    }

    /// What saving would do besides changing the record, when it has to be confirmed: HTML that a template
    /// of this crate has made.
    ///
    /// # Errors
    /// Why the record would not be saved.
    fn consequences(
        _signed_in: &SignedIn,
        _at: Target<Self>,
        _draft: Self::Draft,
    ) -> impl Future<Output = Result<Option<String>, Refused>> {
        std::future::ready(Ok(None))
    }

    /// The values of the form's sources. `record`: what the form shows.
    fn sources(
        _signed_in: &SignedIn,
        _record: &Value,
    ) -> impl Future<Output = Result<Sources, Error>> {
        std::future::ready(Ok(Sources::default()))
    }

    /// What the page of the record shows.
    fn page<'a>(
        &'a self,
        signed_in: &'a SignedIn,
    ) -> impl Future<Output = Result<RecordContent<'a>, Error>>;

    /// The page that the record belongs to: where the form of a new one and the deletion lead to.
    /// `record`: the record as the API writes it, as far as it is known.
    fn parent(_record: &Value) -> String {
        Self::PATH.to_owned()
    }

    /// The page with the records of this kind that keep the record from being deleted.
    ///
    /// # Errors
    /// When they cannot be read.
    fn holder_page(
        &self,
        _signed_in: &SignedIn,
        _holder: Holder,
    ) -> impl Future<Output = Result<Option<String>, Error>> {
        std::future::ready(Ok(None))
    }
}

/// The id in a path.
///
/// # Errors
/// 404 when it is none.
pub(crate) fn id_in<I: From<Uuid>>(text: &str) -> Result<I, Error> {
    parse(text).map(I::from).ok_or_else(|| PageError::new(StatusCode::NOT_FOUND).into())
}

/// The name of a record; `None` when it was deleted.
///
/// # Errors
/// When the record cannot be read.
pub(crate) async fn name_of<T: OfficeRecord>(
    signed_in: &SignedIn,
    id: T::Id,
) -> Result<Option<String>, Error> {
    let service = T::SERVICE(&signed_in.visit.site.api);
    let found = if_found(service.get(signed_in.actor, id).await)?;
    Ok(found.map(|found| found.record.name().to_owned()))
}
