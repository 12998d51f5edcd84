//! Calls every operation with the client that progenitor made of the API document. What an answer gives
//! is sent as it is, without a cast, and only the members that this file names are sent. The end compares
//! the operations that were called with those of the document.
#[allow(warnings, clippy::all, reason = "generated")]
mod api {
    include!(concat!(env!("OUT_DIR"), "/client.rs"));
}

use std::{collections::BTreeSet, env, error::Error, fs, sync::Mutex};

use api::{
    Client, ClientInfo,
    types::{
        ActionPut, ActionType, CopyPost, EntryPost, EntryType, Event, GraphicPlan, Medium, PointType, ReportOutcome, Role,
        SeriesActionPut, SeriesStepPut, State, StepPut, TaskExecution, User,
    },
};
use futures::TryStreamExt;
use progenitor_client::{ByteStream, ClientHooks, OperationInfo};
use reqwest::{
    Body, Request,
    header::{AUTHORIZATION, ETAG, HeaderMap, HeaderValue},
    multipart::{Form, Part},
};
use serde_json::{Value, json};
use uuid::Uuid;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// The operations that progenitor cannot express: their bodies are forms.
const FORMS: [&str; 3] = ["post_user_photo", "post_graphic_plan", "post_media"];

/// What was sent: the operations, and the query and the body of the last request.
#[derive(Default)]
struct Sent {
    operations: BTreeSet<String>,
    query: Option<String>,
    body: Value,
}

static SENT: Mutex<Option<Sent>> = Mutex::new(None);

impl ClientHooks for Client {
    async fn pre<E>(
        &self,
        request: &mut Request,
        info: &OperationInfo,
    ) -> Result<(), progenitor_client::Error<E>> {
        let body = request.body().and_then(Body::as_bytes).unwrap_or(b"null");
        let mut sent = SENT.lock().expect("no panic");
        let sent = sent.get_or_insert_default();
        sent.operations.insert(info.operation_id.to_owned());
        sent.query = request.url().query().map(str::to_owned);
        sent.body = serde_json::from_slice(body).expect("JSON");
        Ok(())
    }
}

/// Asserts that the last body had these members and no others.
fn only(members: &[&str]) {
    let sent = SENT.lock().expect("no panic");
    let body = &sent.as_ref().expect("a request").body;
    let found: BTreeSet<_> = body.as_object().expect("an object").keys().map(|k| &**k).collect();
    assert_eq!(found, members.iter().copied().collect());
}

/// The operations of the document, with the names that progenitor gives them: `get_point`.
fn operations() -> Outcome<BTreeSet<String>> {
    let document: Value = serde_json::from_slice(&fs::read(env::var("OPENAPI_DOCUMENT")?)?)?;
    let paths = document["paths"].as_object().ok_or("no paths")?;
    let all = paths.values().filter_map(Value::as_object).flat_map(|path| path.values());
    Ok(all.filter_map(|operation| operation["operationId"].as_str()).map(snake_case).collect())
}

fn snake_case(name: &str) -> String {
    let separated = |c: char| ["_".repeat(c.is_uppercase().into()), c.to_lowercase().to_string()];
    name.chars().flat_map(separated).collect()
}

/// The id of a record of the demo.
fn demo(kind: u16, number: u64) -> Outcome<Uuid> {
    Ok(format!("0190de30-{kind:04x}-7000-8000-{number:012x}").parse()?)
}

/// A client of the demo.
fn client() -> Outcome<Client> {
    let mut headers = HeaderMap::new();
    let token = format!("Bearer {}", env::var("VERIFY_TOKEN")?);
    headers.insert(AUTHORIZATION, HeaderValue::from_str(&token)?);
    let http = reqwest::Client::builder().no_proxy().default_headers(headers).build()?;
    Ok(Client::new_with_client(&env::var("VERIFY_BASE")?, http))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome {
    let client = client()?;
    executions(&client).await?;
    reports(&client).await?;
    figures(&client).await?;
    series(&client).await?;
    one_user(&client).await?;
    users(&client, demo(4, 7)?).await?;
    locations(&client).await?;
    points(&client).await?;
    scheduled_tasks(&client, demo(1, 1)?).await?;
    graphic_plans(&client, demo(1, 2)?).await?;
    media(&client).await?;
    check_lists(&client, demo(6, 1)?).await?;
    schedules(&client).await?;
    tokens(&client, demo(4, 8)?).await?;
    let sent = SENT.lock().expect("no panic").take().ok_or("nothing was sent")?;
    let mut called = sent.operations;
    called.extend(FORMS.map(str::to_owned));
    assert_eq!(called, operations()?);
    println!("{} operations", called.len());
    Ok(())
}

async fn executions(client: &Client) -> Outcome {
    let all = client.get_task_executions().send().await?;
    assert_eq!(SENT.lock().expect("no panic").as_ref().ok_or("no request")?.query, None);
    let pending = client
        .get_task_executions()
        .limit(1)
        .sort(["startAt,desc".parse()?].to_vec())
        .state(["in:PENDING".parse()?].to_vec())
        .include_open_tasks(true)
        .send()
        .await?;
    assert!(all.data.len() > pending.data.len() && pending.filter.len() == 2);
    let id = pending.data.first().ok_or("no execution")?.id;

    let read = client.get_task_execution().id(id).send().await?;
    let version = read.headers().get(ETAG).ok_or("no version")?.to_str()?.to_owned();
    let record: TaskExecution = read.into_inner();
    assert_eq!(record.state, State::Pending);
    let mut steps = Vec::new();
    for step in &record.steps {
        let mut actions = Vec::new();
        for action in &step.actions {
            let put = ActionPut::builder().id(action.id).name(action.name.clone());
            actions.push(ActionPut::try_from(put.type_(action.type_).required(action.required))?);
        }
        let put = StepPut::builder().id(step.id).name(step.name.clone()).point_id(step.point_id);
        steps.push(StepPut::try_from(put.actions(actions))?);
    }
    let replaced = client
        .put_task_execution()
        .id(id)
        .if_match(version)
        .body_map(|body| {
            body.name(record.name.clone())
                .location_id(record.location_id)
                .start_at(record.start_at.clone())
                .end_at(record.end_at.clone())
                .steps(steps)
        })
        .send()
        .await?;
    only(&["name", "locationId", "startAt", "endAt", "steps"]);
    assert_eq!(replaced.name, record.name);
    let patched = client.patch_task_execution().id(id).body_map(|body| body.published(true));
    assert!(patched.send().await?.published);
    only(&["published"]);
    let copies = CopyPost::try_from(CopyPost::builder().task_ids(vec![id]))?;
    let copy = client.post_task_execution_copy().id(id).body(copies).send().await?;
    only(&["taskIds"]);
    client.delete_task_execution().id(copy.id).send().await?;
    let events = client.get_task_execution_events().id(copy.id).send().await?;
    assert_eq!(kinds(&events.data), ["taskExecution.created", "taskExecution.deleted"]);
    Ok(())
}

fn kinds(events: &[Event]) -> Vec<&str> {
    events.iter().map(|event| event.type_.as_str()).collect()
}

async fn reports(client: &Client) -> Outcome {
    let all = client.get_task_executions().limit(1).send().await?;
    let execution = all.data.first().ok_or("no execution")?.id;
    let id: Uuid = "7b0c6c0e-3b8a-4a53-9a4d-0000000000aa".parse()?;
    let at = chrono::DateTime::from_timestamp(1_769_846_400, 0).ok_or("no time")?;
    let note = EntryPost::builder().id(id).type_(EntryType::Note).at(at);
    let note = EntryPost::try_from(note.text_value("Generated".parse::<EntryPostTextValue>()?))?;
    let answer = client.post_reports().id(execution).body(vec![note]).send().await?;
    assert_eq!(answer.entries.first().map(|entry| entry.outcome), Some(ReportOutcome::Accepted));
    let listed = client.get_reports().id(execution).send().await?;
    assert!(listed.data.iter().any(|entry| entry.id == id));
    Ok(())
}

async fn figures(client: &Client) -> Outcome {
    let counted = client.get_figures().from("2000-01-01").to("2100-01-01").send().await?;
    assert!(counted.total.planned > 0 && counted.data.len() == 1);
    Ok(())
}

async fn series(client: &Client) -> Outcome {
    let sort = ["startAt".parse()?].to_vec();
    let state = ["PENDING".parse()?].to_vec();
    let pending = client.get_task_executions().state(state).sort(sort).send().await?;
    let first = pending.data.iter().find(|item| item.series_id.is_some()).ok_or("no series")?;
    let record = client.get_task_execution().id(first.id).send().await?.into_inner();
    let series = record.series_id.ok_or("no series")?;
    let mut steps = Vec::new();
    for step in &record.steps {
        let mut actions = Vec::new();
        for action in &step.actions {
            let put = SeriesActionPut::builder().name(action.name.clone()).type_(action.type_);
            actions.push(SeriesActionPut::try_from(put.series_id(action.series_id))?);
        }
        let put = SeriesStepPut::builder().name(step.name.clone()).series_id(step.series_id);
        steps.push(SeriesStepPut::try_from(put.actions(actions))?);
    }
    let body = move |body: api::types::builder::SeriesPut| {
        body.series_id(series)
            .name("New name".to_owned())
            .location_id(record.location_id)
            .start_at(record.start_at)
            .end_at(record.end_at)
            .steps(steps.clone())
    };
    let rehearsal = client.put_task_execution_series().id(first.id).dry_run(true);
    let rehearsed = rehearsal.body_map(body.clone()).send().await?.into_inner();
    let api::types::SplitOrRehearsal::Rehearsal(rehearsed) = rehearsed else {
        return Err("the answer of an update".into());
    };
    assert!(rehearsed.changed.iter().any(|round| round.id == Some(first.id)));
    let update = client.put_task_execution_series().id(first.id).body_map(body);
    let updated = update.send().await?.into_inner();
    let api::types::SplitOrRehearsal::SeriesUpdated(updated) = updated else {
        return Err("the answer of a rehearsal".into());
    };
    only(&["seriesId", "name", "locationId", "startAt", "endAt", "steps"]);
    assert_eq!(updated.updating_series_id, series);
    Ok(())
}

async fn one_user(client: &Client) -> Outcome {
    let draft = client.post_user().body_map(|body| {
        body.first_name("Ivo".to_owned()).last_name("Kask".to_owned()).role(Role::Employee)
    });
    let created = draft.send().await?.into_inner();
    only(&["firstName", "lastName", "role"]);
    assert_eq!((created.language.as_str(), created.phone.as_deref()), ("en", None));
    let read = client.get_user().id(created.id).send().await?;
    let version = read.headers().get(ETAG).ok_or("no version")?.to_str()?.to_owned();
    assert_eq!(read.into_inner().id, created.id);
    let found = client.get_users().q("kask").send().await?;
    assert_eq!(found.data.len(), 1);
    assert_eq!(client.get_me().send().await?.role, Role::Admin);
    client.delete_user().id(created.id).if_match(version).send().await?;
    let events = client.get_user_events().id(created.id).send().await?;
    assert_eq!(kinds(&events.data), ["user.created", "user.deleted"]);
    Ok(())
}

async fn users(client: &Client, user: Uuid) -> Outcome {
    let patched = client
        .patch_user()
        .id(user)
        .body_map(|body| body.phone(Some("+44 1".parse().expect("a phone"))))
        .send()
        .await?;
    only(&["phone"]);
    assert_eq!(patched.phone.as_deref(), Some("+44 1"));
    let entry = api::types::UserBatchEntry::builder().id(user).role(patched.role);
    let batch = vec![api::types::UserBatchEntry::try_from(entry)?];
    let changed = client.post_user_batch().body(batch).send().await?;
    assert_eq!(changed.first().map(|user| user.role), Some(patched.role));

    let form = Part::bytes(fs::read(env::var("VERIFY_PICTURE")?)?).file_name("a.png");
    let url = format!("{}/users/{user}/photo", client.baseurl());
    let upload = client.client().post(url).multipart(Form::new().part("photo", form));
    let uploaded: User = upload.send().await?.error_for_status()?.json().await?;
    assert!(uploaded.photo_id.is_some());
    let photo: ByteStream = client.get_user_photo().id(user).send().await?.into_inner();
    let photo: Vec<_> = photo.into_inner().try_collect().await?;
    assert!(photo.concat().starts_with(b"\x89PNG"));
    client.delete_user_photo().id(user).send().await?;
    Ok(())
}

async fn locations(client: &Client) -> Outcome {
    let draft = client.post_location().body_map(|body| body.name("Depot".to_owned()));
    let created = draft.send().await?.into_inner();
    only(&["name"]);
    assert_eq!((created.address.as_str(), created.latitude), ("", None));
    let read = client.get_location().id(created.id).send().await?;
    let version = read.headers().get(ETAG).ok_or("no version")?.to_str()?.to_owned();
    assert_eq!(read.into_inner().id, created.id);
    let renamed = client.put_location().id(created.id).if_match(version);
    let renamed = renamed.body_map(|body| body.name("North depot".to_owned())).send().await?;
    assert_eq!(renamed.name.as_str(), "North depot");
    client.delete_location().id(created.id).send().await?;
    let events = client.get_location_events().id(created.id).send().await?;
    assert_eq!(kinds(&events.data), ["location.created", "location.updated", "location.deleted"]);
    Ok(())
}

async fn points(client: &Client) -> Outcome {
    let with_plan = ["true".parse()?].to_vec();
    let found = client.get_locations().limit(1).with_graphic_plan(with_plan).send().await?;
    let location = found.data.first().ok_or("no location")?.id;
    let body = |body: api::types::builder::PointPut| {
        body.location_id(location).name("Gate".to_owned()).type_(PointType::Qr)
    };
    let point = client.post_point().body_map(body).send().await?.into_inner();
    only(&["locationId", "name", "type"]);
    let same = [point.id.to_string().parse()?].to_vec();
    let found = client.get_points().id(same).send().await?;
    assert_eq!(found.data.len(), 1);
    let read = client.get_point().id(point.id).send().await?;
    assert!(read.latitude.is_none() && read.id == point.id);
    let code: Option<api::types::PointPutQrCode> = Some("NORTH-GATE".parse()?);
    let renamed = |draft| body(draft).name("North gate".to_owned()).qr_code(code);
    client.put_point().id(point.id).body_map(renamed).send().await?;
    let label: ByteStream = client.get_point_label().id(point.id).send().await?.into_inner();
    let label: Vec<_> = label.into_inner().try_collect().await?;
    assert!(label.concat().starts_with(b"<svg"));
    client.delete_point().id(point.id).send().await?;
    let id = [point.id.to_string().parse()?].to_vec();
    let history = client.get_point_history().id(id).send().await?;
    assert_eq!(history.data.len(), 3);
    let events = client.get_point_events().id(point.id).send().await?;
    assert_eq!(kinds(&events.data), ["point.created", "point.updated", "point.deleted"]);
    Ok(())
}

async fn graphic_plans(client: &Client, location: Uuid) -> Outcome {
    let picture = Part::bytes(fs::read(env::var("VERIFY_PICTURE")?)?).file_name("a.png");
    let form = Form::new().text("name", "Roof").part("image", picture);
    let url = format!("{}/locations/{location}/graphic-plans", client.baseurl());
    let upload = client.client().post(url).multipart(form).send().await?;
    let made: GraphicPlan = upload.error_for_status()?.json().await?;
    let id = made.id;
    assert_eq!(client.get_graphic_plan().id(id).send().await?.name, made.name);
    let image: ByteStream = client.get_graphic_plan_image().id(id).send().await?.into_inner();
    let image: Vec<_> = image.into_inner().try_collect().await?;
    assert!(image.concat().starts_with(b"\x89PNG"));
    let here = client.get_graphic_plans().id(location).send().await?;
    assert!(here.data.iter().any(|plan| plan.id == id));
    client.delete_graphic_plan().id(id).send().await?;
    let events = client.get_graphic_plan_events().id(id).send().await?;
    assert_eq!(kinds(&events.data), ["graphicPlan.created", "graphicPlan.deleted"]);
    Ok(())
}

async fn media(client: &Client) -> Outcome {
    let picture = fs::read(env::var("VERIFY_PICTURE")?)?;
    let form = Form::new().part("file", Part::bytes(picture.clone()).file_name("a.png"));
    let url = format!("{}/media", client.baseurl());
    let upload = client.client().post(url).multipart(form).send().await?;
    let made: Medium = upload.error_for_status()?.json().await?;
    assert_eq!(client.get_medium().id(made.id).send().await?.sha256, made.sha256);
    let file: ByteStream = client.get_medium_file().id(made.id).send().await?.into_inner();
    let file: Vec<_> = file.into_inner().try_collect().await?;
    assert_eq!(file.concat(), picture);
    let events = client.get_medium_events().id(made.id).send().await?;
    assert_eq!(kinds(&events.data), ["media.created"]);
    Ok(())
}

async fn check_lists(client: &Client, action: Uuid) -> Outcome {
    let put = client.put_check_list_action().id(action);
    let changed = put.body_map(|body| body.type_(ActionType::Text)).send().await?;
    only(&["type"]);
    assert_eq!(changed.type_, ActionType::Text);
    client.delete_check_list_action().id(action).send().await?;

    let draft = client.post_check_list().body_map(|body| body.name("Generated".to_owned()));
    let list = draft.send().await?.into_inner();
    only(&["name"]);
    let read = client.get_check_list().id(list.id).send().await?;
    let version = read.headers().get(ETAG).ok_or("no version")?.to_str()?.to_owned();
    let put = client.put_check_list().id(list.id).if_match(version);
    let put = put.body_map(|body| body.name("Again".to_owned())).send().await?;
    assert_eq!(put.name.as_str(), "Again");
    let new = client.post_check_list_action().id(list.id);
    let new = new.body_map(|body| body.name("Remark".to_owned()).type_(ActionType::Text));
    assert_eq!(new.send().await?.order, 0);
    let id = [list.id.to_string().parse()?].to_vec();
    assert_eq!(client.get_check_lists().id(id).send().await?.data[0].actions.len(), 1);
    client.delete_check_list().id(list.id).send().await?;
    let events = client.get_check_list_events().id(list.id).send().await?;
    let kinds = kinds(&events.data);
    assert_eq!(kinds.len(), 4);
    Ok(())
}

async fn schedules(client: &Client) -> Outcome {
    let body: api::types::PreviewPost = serde_json::from_value(json!({
        "limit": 2,
        "schedule": {
            "timeZone": "Europe/Berlin", "start": "2099-03-27T02:30:00", "durationMinutes": 45,
            "rrule": "FREQ=DAILY;COUNT=5",
        },
    }))?;
    let preview = client.post_scheduled_task_preview().body(body).send().await?;
    only(&["limit", "schedule"]);
    assert!(preview.more && preview.occurrences.len() == 2);
    Ok(())
}

async fn scheduled_tasks(client: &Client, location: Uuid) -> Outcome {
    let step = api::types::PlannedStepPut::builder().name("Gate".to_owned());
    let steps = vec![api::types::PlannedStepPut::try_from(step)?];
    let draft = client.post_scheduled_task().body_map(|body| {
        body.name("Generated round".to_owned()).location_id(location).steps(steps)
    });
    let created = draft.send().await?.into_inner();
    only(&["name", "locationId", "steps"]);
    assert!(created.published && created.next_start_at.is_none());
    let read = client.get_scheduled_task().id(created.id).send().await?;
    let version = read.headers().get(ETAG).ok_or("no version")?.to_str()?.to_owned();
    let kept = read.steps.first().ok_or("no step")?;
    let step = api::types::PlannedStepPut::builder().id(kept.id).name("Main gate".to_owned());
    let steps = vec![api::types::PlannedStepPut::try_from(step)?];
    let put = client.put_scheduled_task().id(created.id).if_match(version);
    let body = move |body: api::types::builder::ScheduledTaskPut| {
        body.name("Round".to_owned()).location_id(location).steps(steps.clone())
    };
    let rehearsal = client.put_scheduled_task().id(created.id).dry_run(true);
    let rehearsed = rehearsal.body_map(body.clone()).send().await?.into_inner();
    assert!(matches!(rehearsed, api::types::Replaced::Rehearsal(seen) if seen.kept.is_empty()));
    let replaced = put.body_map(body).send().await?.into_inner();
    let api::types::Replaced::ScheduledTask(replaced) = replaced else {
        return Err("the answer of a rehearsal".into());
    };
    assert_eq!(replaced.steps.first().map(|step| step.id), Some(kept.id));
    let run: api::types::TaskExecutionPost = serde_json::from_value(json!({
        "scheduledTaskId": created.id, "startAt": "2099-01-01T00:00:00Z",
    }))?;
    let made = client.post_task_execution().body(run).send().await?;
    only(&["scheduledTaskId", "startAt"]);
    assert_eq!((made.scheduled_task_id, made.name.as_str()), (Some(created.id), "Round"));
    let found = client.get_scheduled_tasks().id([created.id.to_string().parse()?].to_vec());
    assert_eq!(found.send().await?.data.len(), 1);
    client.delete_scheduled_task().id(created.id).send().await?;
    let events = client.get_scheduled_task_events().id(created.id).send().await?;
    let all = ["scheduledTask.created", "scheduledTask.updated", "scheduledTask.deleted"];
    assert_eq!(kinds(&events.data), all);
    Ok(())
}

async fn tokens(client: &Client, user: Uuid) -> Outcome {
    let draft =
        client.post_token().body_map(|body| body.name("generated".to_owned()).user_id(user));
    let issued = draft.send().await?;
    only(&["name", "userId"]);
    let listed = client.get_tokens().user_id(user).send().await?;
    assert!(listed.data.iter().any(|token| token.id == issued.id));
    client.delete_token().id(issued.id).send().await?;
    let events = client.get_events().limit(10_u64).send().await;
    assert!(!events?.data.is_empty());
    Ok(())
}
