//! People: the page of a person, its form, its photo, and the question before it is deleted.

use actix_web::{Error, http::StatusCode, web::Path};
use patrol_application::{Failure, Operation, permit, permit_record};
use patrol_domain::{
    Named as _, Refusal, Target, Versioned,
    access::Role,
    ids::UserId,
    location::{Location, LocationFilter},
    user::User,
};
use patrol_http::PageError;
use patrol_record::{UserRecord, read_user, read_user_patch};
use serde_json::{Value, json};

use super::{
    HandlerResult, choices,
    graphic_plans::secured,
    people::{self, may_sign_in, status_of},
};
use crate::{
    form::{FILE, FileForm, Form},
    office::{
        body::read_body,
        content::{Facts, Picture, RecordContent, RecordPage, Section},
        faults::FormFault,
        form::{Kind, Label, Part, Sources, VERSION, changed},
        form_page::{FormPage, Refused},
        question::Question,
        record::id_in,
        table::Cell,
    },
    texts::Texts,
    view::{self, Frame, redirect},
    visit::{Administrator, Planner, SignedIn},
};

const FORM: &[Part] = &[
    Part::field("firstName", |t| &t.person_first_name, Kind::Line).required(),
    Part::field("middleName", |t| &t.person_middle_name, Kind::Line),
    Part::field("lastName", |t| &t.person_last_name, Kind::Line).required(),
    Part::field("employeeNo", |t| &t.employee_number, Kind::Line).hint(|t| &t.person_number_hint),
    Part::field("email", |t| &t.email, Kind::Line),
    Part::field("phone", |t| &t.person_phone, Kind::Line),
    Part::field("role", |t| &t.role, Kind::One("roles")).required(),
    Part::field("status", |t| &t.person_status, Kind::Choice(STATUSES))
        .hint(|t| &t.person_status_hint),
    Part::field("language", |t| &t.language_choice, Kind::Line).hint(|t| &t.person_language_hint),
    Part::field("locationIds", |t| &t.locations, Kind::Many("locations")),
    Part::field("tags", |t| &t.tags, Kind::Lines).hint(|t| &t.one_a_line),
    Part::field("employeePin", |t| &t.person_pin, Kind::Secret).hint(|t| &t.person_pin_hint),
];

/// A box of the form of a person who has a PIN.
const REMOVE_PIN: &str = "removePin";

const PIN_BOX: Part = Part::field(REMOVE_PIN, |t| &t.person_remove_pin, Kind::Flag);

const PHOTO_FORM: &[Part] =
    &[Part::field(FILE, |t| &t.file, Kind::File).required().hint(|t| &t.place_picture_hint)];

const STATUSES: &[(&str, Label)] =
    &[("ACTIVE", |t| &t.person_active), ("INACTIVE", |t| &t.person_inactive)];

/// The person, without the PIN, which no page shows.
fn to_json(user: &User) -> Result<Value, Error> {
    serde_json::to_value(UserRecord::new(user, false)).map_err(PageError::internal)
}

fn path_of(user: &User) -> String {
    format!("/people/{}", user.id.0)
}

async fn found(signed_in: &SignedIn, id: &str) -> Result<Versioned<User>, Error> {
    let users = &signed_in.visit.site.api.users;
    users.get(signed_in.actor, id_in(id)?).await.map_err(PageError::of)
}

/// The person, if the reader may change it.
async fn changeable(signed_in: &SignedIn, id: &str) -> Result<Versioned<User>, Error> {
    let found = found(signed_in, id).await?;
    permit_record(signed_in.actor, &found.record).map_err(PageError::of)?;
    Ok(found)
}

/// GET /people/{id}
pub(crate) async fn show(Planner(signed_in): Planner, id: Path<String>) -> HandlerResult {
    let Versioned { record: user, .. } = found(&signed_in, &id).await?;
    let t = &signed_in.visit.language().texts;
    let own = user.location_ids.iter().map(|id| id.0).collect();
    let own = choices::is_one_of(LocationFilter::Id, own);
    let locations = choices::records::<Location>(&signed_in, Some(own)).await?;
    let links = user.location_ids.iter();
    let links = links.filter_map(|id| choices::link::<Location>(&locations, *id));
    let path = path_of(&user);
    let facts = vec![
        (&t.role, Cell::text(view::role(t, user.role))),
        (&t.person_status, Cell::text(status_of(t, user.status))),
        (&t.may_sign_in, may_sign_in(t, &user)),
        (&t.employee_number, user.employee_no.clone().into()),
        (&t.email, user.email.clone().into()),
        (&t.person_phone, user.phone.clone().into()),
        (&t.language_choice, Cell::text(&user.language)),
        (&t.locations, Cell::Several(links.collect())),
        (&t.tags, Cell::joined(&user.tags)),
    ];
    let may_change = permit_record(signed_in.actor, &user).is_ok();
    let may_delete = permit(signed_in.actor, Operation::DeleteUser).is_ok();
    let photo = user.photo_id.map(|_| {
        let (href, text) =
            (format!("{path}/photo/image"), t.person_photo_of.with(&user.full_name()));
        Section::new(&t.person_photo, Picture { href, text })
    });
    let photo = photo.transpose()?;
    let frame = Frame::of_user(&signed_in, &t.people).headed(user.full_name());
    let wanted = people::Wanted::only(&user);
    let sign_in = signed_in
        .is_admin()
        .then(|| Section::new(&t.sign_in, people::actions(&frame, &wanted, &user)))
        .transpose()?;
    let content = RecordContent {
        facts: Facts(facts),
        sections: sign_in.into_iter().chain(photo).collect(),
        actions: if may_change {
            vec![(format!("{path}/photo"), &t.person_photo)]
        } else {
            Vec::new()
        },
    };
    let page = RecordPage {
        frame,
        content,
        edit: may_change.then(|| format!("{path}/edit")),
        delete: may_delete.then(|| format!("{path}/delete")),
    };
    view::page(&signed_in.visit, StatusCode::OK, &page)
}

/// The person that the form of a new one shows.
fn template(signed_in: &SignedIn) -> Value {
    json!({
        "role": "EMPLOYEE", "status": "ACTIVE", "language": signed_in.visit.language().code,
    })
}

/// GET /people/new
pub(crate) async fn new(Planner(signed_in): Planner) -> HandlerResult {
    let record = template(&signed_in);
    form(&signed_in, None, &record, Refused::default()).await
}

/// POST /people/new
pub(crate) async fn create(sent: Form<Planner>) -> HandlerResult {
    let Form { sender: Planner(signed_in), fields } = sent;
    let times = signed_in.visit.times();
    let record = fields.record(FORM, &template(&signed_in), &times);
    let t = &signed_in.visit.language().texts;
    let made = async {
        let draft = read_body(t, &record, read_user);
        let draft = draft.map_err(|faults| Refused::with(t, faults))?;
        let made = signed_in.visit.site.api.users.create(signed_in.actor, draft).await;
        made.map_err(|failure| refused(t, failure))
    };
    match made.await {
        Ok(made) => Ok(redirect(&signed_in.visit, &path_of(&made))),
        Err(refused) => form(&signed_in, None, &record, refused).await,
    }
}

/// GET /people/{id}/edit
pub(crate) async fn edit(Planner(signed_in): Planner, id: Path<String>) -> HandlerResult {
    let found = changeable(&signed_in, &id).await?;
    let record = to_json(&found.record)?;
    form(&signed_in, Some(&found), &record, Refused::default()).await
}

/// POST /people/{id}/edit
pub(crate) async fn save(sent: Form<Planner>, id: Path<String>) -> HandlerResult {
    let Form { sender: Planner(signed_in), fields: entered } = sent;
    let found = changeable(&signed_in, &id).await?;
    let before = to_json(&found.record)?;
    let record = entered.record(FORM, &before, &signed_in.visit.times());
    let t = &signed_in.visit.language().texts;
    let expected = entered.version();
    if expected != Some(found.version) {
        let refused = Refused::changed(t, before);
        return form(&signed_in, Some(&found), &record, refused).await;
    }
    let mut changes = changed(&before, &record);
    if entered.value(REMOVE_PIN) == "true" {
        changes.insert("employeePin".to_owned(), Value::Null);
    }
    let saved = async {
        let patch = read_body(t, &Value::Object(changes), read_user_patch);
        let patch = patch.map_err(|faults| Refused::with(t, faults))?;
        let at = Target { id: found.record.id, expected };
        let saved = signed_in.visit.site.api.users.patch(signed_in.actor, at, patch).await;
        saved.map_err(|failure| refused(t, failure))
    };
    match saved.await {
        Ok(saved) => Ok(redirect(&signed_in.visit, &path_of(&saved.record))),
        Err(refused) => form(&signed_in, Some(&found), &record, refused).await,
    }
}

/// Why a person was not saved.
fn refused(t: &Texts, failure: Failure) -> Refused {
    match failure {
        Failure::Refused(Refusal::State(path)) => {
            Refused::with(t, vec![FormFault::new(path, &t.person_last_admin)])
        }
        failure => Refused::of(t, failure),
    }
}

async fn form(
    signed_in: &SignedIn,
    found: Option<&Versioned<User>>,
    record: &Value,
    refused: Refused,
) -> HandlerResult {
    let t = &signed_in.visit.language().texts;
    let roles = [Role::Employee, Role::Manager, Role::Admin].into_iter();
    let roles = roles.filter(|role| signed_in.is_admin() || *role != Role::Admin);
    let roles = roles.map(|role| (role.name().to_owned(), view::role(t, role).to_string()));
    let locations = choices::records::<Location>(signed_in, None).await?;
    let sources = Sources::default().with("roles", roles.collect()).with("locations", locations);
    let frame = Frame::of_user(signed_in, &t.person_new);
    let mut parts = FORM.to_vec();
    let page = match found {
        None => FormPage::new(frame, "/people/new".to_owned(), "/people".to_owned()),
        Some(Versioned { record: user, version }) => {
            parts.extend(user.employee_pin.is_some().then_some(PIN_BOX));
            let (frame, path) = (frame.headed(t.edit_name.with(&user.full_name())), path_of(user));
            let page = FormPage::new(frame, format!("{path}/edit"), path);
            page.hidden(VERSION, version.0)
        }
    };
    page.answer(signed_in, (&parts, &sources), record, refused)
}

/// GET /people/{id}/photo/image
pub(crate) async fn photo(Planner(signed_in): Planner, id: Path<String>) -> HandlerResult {
    let (visit, actor, id) = (&signed_in.visit, signed_in.actor, id_in(&id)?);
    let photos = &visit.site.api.photos;
    let answer = visit.page.image(photos.current(actor, id), photos.get(actor, id)).await?;
    Ok(secured(&signed_in, answer))
}

/// GET /people/{id}/photo
pub(crate) async fn photo_form(Planner(signed_in): Planner, id: Path<String>) -> HandlerResult {
    let found = changeable(&signed_in, &id).await?;
    photo_page(&signed_in, &found.record, Refused::default())
}

/// POST /people/{id}/photo
pub(crate) async fn set_photo(form: FileForm<Planner>, id: Path<String>) -> HandlerResult {
    let FileForm { sender: Planner(signed_in), file, .. } = form;
    let user = changeable(&signed_in, &id).await?.record;
    let t = &signed_in.visit.language().texts;
    let refused = match file {
        None => Refused::with(t, vec![FormFault::new(FILE, &t.fault_file)]),
        Some(file) => {
            let photos = &signed_in.visit.site.api.photos;
            match photos.replace(signed_in.actor, user.id, file).await {
                Ok(user) => return Ok(redirect(&signed_in.visit, &path_of(&user))),
                Err(failure) => Refused::of(t, failure),
            }
        }
    };
    let faults = refused.faults.into_iter();
    let faults = faults.map(|fault| FormFault { path: FILE.to_owned(), ..fault }).collect();
    let refused = Refused { faults, ..refused };
    photo_page(&signed_in, &user, refused)
}

/// POST /people/{id}/photo/remove
pub(crate) async fn remove_photo(form: Form<Planner>, id: Path<String>) -> HandlerResult {
    let Form { sender: Planner(signed_in), .. } = form;
    let id: UserId = id_in(&id)?;
    let removed = signed_in.visit.site.api.photos.delete(signed_in.actor, id).await;
    removed.map_err(PageError::of)?;
    Ok(redirect(&signed_in.visit, &format!("/people/{}", id.0)))
}

fn photo_page(signed_in: &SignedIn, user: &User, refused: Refused) -> HandlerResult {
    let t = &signed_in.visit.language().texts;
    let path = path_of(user);
    let frame = Frame::of_user(signed_in, &t.person_photo)
        .headed(t.person_photo_of.with(&user.full_name()));
    let page = FormPage::new(frame, format!("{path}/photo"), path.clone()).with_file();
    let page = match user.photo_id {
        None => page,
        Some(_) => {
            let remove = (format!("{path}/photo/remove"), &t.person_remove_photo);
            page.replacing(format!("{path}/photo/image"), remove)
        }
    };
    page.answer(signed_in, (PHOTO_FORM, &Sources::default()), &Value::Null, refused)
}

/// GET /people/{id}/delete
pub(crate) async fn ask(
    Administrator(signed_in): Administrator,
    id: Path<String>,
) -> HandlerResult {
    question(&signed_in, &found(&signed_in, &id).await?).page(&signed_in, None)
}

/// POST /people/{id}/delete
pub(crate) async fn delete(form: Form<Administrator>, id: Path<String>) -> HandlerResult {
    let Form { sender: Administrator(signed_in), fields } = form;
    let found = found(&signed_in, &id).await?;
    let at = Target { id: found.record.id, expected: fields.version() };
    let deleted = signed_in.visit.site.api.users.delete(signed_in.actor, at).await;
    let question = question(&signed_in, &found);
    if let Err(Failure::Refused(Refusal::State(_))) = deleted {
        let why = signed_in.visit.language().texts.person_last_admin.to_string();
        return question.page(&signed_in, Some(Refused { why, ..Refused::default() }));
    }
    question.answer(&signed_in, deleted, "/people")
}

fn question<'a>(signed_in: &'a SignedIn, found: &Versioned<User>) -> Question<'a> {
    let Versioned { record: user, version } = found;
    let (name, path) = (user.full_name(), path_of(user));
    let about = Some(&signed_in.visit.language().texts.delete_person_about);
    Question { name, path, version: *version, about, pages: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changed_members_are_sent() {
        let before = json!({ "role": "ADMIN", "phone": null, "tags": ["a"], "employeePin": null });
        let record = json!({
            "role": "ADMIN", "phone": "1", "tags": ["a"], "employeePin": null,
        });
        assert_eq!(Value::Object(changed(&before, &record)), json!({ "phone": "1" }));
    }
}
