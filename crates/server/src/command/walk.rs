//! Walks the rounds of the demo that are due, over the API, as an app does.

use std::{sync::Arc, time::Duration};

use patrol_data_set::{DEMO_GUARD, DEMO_MEDIUM};
use patrol_domain::{Clock, Ids, Timestamp};
use patrol_walk::{
    Action, Failure, Happening, Oddity, Outbox, Round, State, Step, Value, pause, visit,
};
use reqwest::{
    Client, Method,
    header::{AUTHORIZATION, CONTENT_TYPE},
};
use serde_json::{Value as Json, json};

use crate::error::CommandError;

/// How often the walker looks for rounds that are due.
const LOOK: Duration = Duration::from_secs(15);

/// How many rounds are walked at once.
const AT_ONCE: usize = 20;

/// How long a round is left alone after the service has refused an entry: somebody else walks it.
const LEFT_ALONE: Duration = Duration::from_secs(60 * 60);

/// The longest time of a request.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The time between two entries at the same step, in milliseconds.
const BETWEEN_ENTRIES: i64 = 500;

/// 550 m to the north, in degrees.
const FAR: f64 = 0.005;

/// Walks the rounds of the demo.
pub(super) struct Walker {
    client: Client,
    base_url: String,
    token: String,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    /// When to look for further rounds.
    look_at: Timestamp,
    walks: Vec<Walk>,
    /// The number of the next scan.
    scan: u32,
    /// The token is no longer valid.
    is_locked_out: bool,
}

/// A round that is walked.
struct Walk {
    execution: String,
    /// When something happens next.
    due_at: Timestamp,
    outbox: Outbox<String, Json>,
}

/// What becomes of a walk.
enum Then {
    /// It goes on after this time.
    After(Duration),
    /// The round is over or gone.
    End,
}

impl Walker {
    /// A walker that uses the API at `base_url` with this token.
    pub(super) fn new(
        base_url: &str,
        token: &str,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
    ) -> Result<Self, CommandError> {
        let client = Client::builder()
            .no_proxy()
            .timeout(TIMEOUT)
            // An idle connection would hold up the end of the server.
            .pool_max_idle_per_host(0)
            // As for `patrol health`: the program asks itself.
            .tls_danger_accept_invalid_certs(true)
            .build();
        let client =
            client.map_err(|error| CommandError::Failed(format!("{error}; report this")))?;
        Ok(Self {
            client,
            base_url: base_url.to_owned(),
            token: token.to_owned(),
            look_at: clock.now(),
            clock,
            ids,
            walks: Vec::new(),
            scan: 0,
            is_locked_out: false,
        })
    }

    /// Does what is due, and returns at once when nothing is.
    ///
    /// # Errors
    /// When the rounds that are due cannot be read.
    pub(super) async fn go_on(&mut self) -> Result<(), String> {
        let now = self.clock.now();
        if self.is_locked_out {
            return Ok(());
        }
        if now >= self.look_at {
            self.look_at = later(now, LOOK);
            match self.look(now).await {
                Ok(()) | Err(Failure::Refused) => {}
                Err(Failure::Unauthorized) => self.is_locked_out = true,
                Err(Failure::Retry) => return Err("the list of rounds is not answered".to_owned()),
            }
        }
        for mut walk in std::mem::take(&mut self.walks) {
            if self.is_locked_out || self.clock.now() < walk.due_at {
                self.walks.push(walk);
                continue;
            }
            let then = match self.step(&mut walk).await {
                Ok(then) => then,
                Err(Failure::Unauthorized) => {
                    self.is_locked_out = true;
                    Then::End
                }
                Err(Failure::Refused) => Then::End,
                Err(Failure::Retry) => {
                    let [.., jitter] = self.ids.next().into_bytes();
                    Then::After(walk.outbox.failed(jitter))
                }
            };
            if let Then::After(pause) = then {
                walk.due_at = later(self.clock.now(), pause);
                self.walks.push(walk);
            }
        }
        Ok(())
    }

    /// Takes up the published rounds that are due and have assignees.
    async fn look(&mut self, now: Timestamp) -> Result<(), Failure> {
        let query = format!(
            "/task-executions/info?state=in:PENDING,IN_PROGRESS&startAt=lte:{now}&endAt=gt:{now}\
             &published=true&sort=startAt&limit={AT_ONCE}"
        );
        let found = self.send(Method::GET, &query, None).await?;
        for summary in list(&found, "data") {
            let execution = text(summary, "id");
            let assignees = list(summary, "assigneeIds");
            // The demo's guard walks by hand.
            let is_ours = !assignees.is_empty()
                && !assignees.iter().any(|user| *user == DEMO_GUARD.to_string());
            let is_known = self.walks.iter().any(|walk| walk.execution == execution);
            if is_ours && !is_known && self.walks.len() < AT_ONCE {
                self.walks.push(Walk { execution, due_at: now, outbox: Outbox::default() });
            }
        }
        Ok(())
    }

    /// Reports what happens next on a round, or sends again what was not answered.
    async fn step(&mut self, walk: &mut Walk) -> Result<Then, Failure> {
        let path = format!("/task-executions/{}", walk.execution);
        let record = self.send(Method::GET, &path, None).await?;
        if walk.outbox.is_empty() {
            let location = self.at_location(&record).await?;
            for entry in self.entries(&record, &location) {
                walk.outbox.push(text(&entry, "id"), entry);
            }
        }
        if walk.outbox.is_empty() {
            return Ok(Then::End);
        }
        let entries = walk.outbox.waiting().cloned().collect();
        let sent = match self.send(Method::POST, &format!("{path}/reports"), Some(entries)).await {
            Err(Failure::Refused) => {
                walk.outbox = Outbox::default();
                return Ok(Then::After(LEFT_ALONE));
            }
            sent => sent?,
        };
        let answers = list(&sent, "entries");
        for answer in answers {
            walk.outbox.answered(&text(answer, "id"));
        }
        if answers.iter().any(|answer| member(answer, "outcome") == "REFUSED") {
            return Ok(Then::After(LEFT_ALONE));
        }
        let left = list(&record, "steps").iter().filter(|step| state(step) != State::Completed);
        let end = Timestamp::parse(&text(&record, "endAt"));
        let until_end = end.map_or(0, |end| end.since(self.clock.now()));
        let until_end = Duration::from_millis(u64::try_from(until_end).unwrap_or(0));
        Ok(Then::After(pause(until_end, left.count())))
    }

    /// The place of a round: its location, and the points there.
    async fn at_location(&self, record: &Json) -> Result<Place, Failure> {
        let id = text(record, "locationId");
        let location = self.send(Method::GET, &format!("/locations/{id}"), None).await?;
        let points = format!("/locations/points?locationId={id}&limit=1000");
        let points = self.send(Method::GET, &points, None).await?;
        Ok(Place { location, points: list(&points, "data").to_vec() })
    }

    /// The entries of what happens next.
    fn entries(&mut self, record: &Json, place: &Place) -> Vec<Json> {
        let round = round(record, place);
        let happenings = visit(&round, self.scan);
        let is_counted = |happening: &Happening<'_>| matches!(happening, Happening::Scan(step, _) if step.can_be_odd());
        self.scan += u32::from(happenings.iter().any(is_counted));
        let count = i64::try_from(happenings.len()).unwrap_or(0);
        let now = self.clock.now();
        let here = position(&happenings, record, place);
        let entries = (1..).zip(happenings).map(|(number, happening)| {
            let at = now.shifted((number - count) * BETWEEN_ENTRIES).unwrap_or(now);
            let mut entry = entry(happening, record, place, &here);
            if let Json::Object(members) = &mut entry {
                members.insert("id".to_owned(), self.ids.next().to_string().into());
                members.insert("at".to_owned(), at.to_string().into());
            }
            entry
        });
        entries.collect()
    }

    async fn send(&self, method: Method, path: &str, body: Option<Json>) -> Result<Json, Failure> {
        let url = format!("{}{path}", self.base_url);
        let request = self.client.request(method, url);
        let mut request = request.header(AUTHORIZATION, format!("Bearer {}", self.token));
        if let Some(body) = body {
            request = request.header(CONTENT_TYPE, "application/json").body(body.to_string());
        }
        let answer = request.send().await.map_err(|_| Failure::Retry)?;
        if let Some(failure) = Failure::of(answer.status().as_u16()) {
            return Err(failure);
        }
        let body = answer.bytes().await.map_err(|_| Failure::Retry)?;
        serde_json::from_slice(&body).map_err(|_| Failure::Refused)
    }
}

/// Where a guard is during what happens next: at the point of the step, or far away from it.
fn position(happenings: &[Happening<'_>], record: &Json, place: &Place) -> Json {
    let step = happenings.iter().find_map(|happening| match happening {
        Happening::Scan(step, _) | Happening::Result(step, _) | Happening::FinishStep(step) => {
            Some(*step)
        }
        Happening::Start | Happening::Complete => None,
    });
    let is_far =
        happenings.iter().any(|happening| matches!(happening, Happening::Scan(_, Oddity::FarAway)));
    let point = step.map_or(&Json::Null, |step| place.point_of(record, step));
    place.position(point, if is_far { FAR } else { 0.0 })
}

/// An entry without its id and its time.
fn entry(happening: Happening<'_>, record: &Json, place: &Place, here: &Json) -> Json {
    match happening {
        Happening::Start => json!({
            "type": "START", "performerId": list(record, "assigneeIds").first(), "position": here,
        }),
        Happening::Scan(step, oddity) => {
            let (technology, code) = technology(place.point_of(record, step));
            let code = match oddity {
                Oddity::None | Oddity::FarAway => code.clone(),
                Oddity::CodeMissing => Json::Null,
                Oddity::WrongCode => "another code".into(),
            };
            json!({
                "type": "SCAN", "stepId": step.id, "technology": technology, "code": code,
                "position": here,
            })
        }
        Happening::Result(step, Action { id, value }) => {
            let (member, value) = match value {
                Value::Boolean(value) => ("booleanValue", json!(value)),
                Value::Number(value) => ("numberValue", json!(value)),
                Value::Text(value) => ("textValue", json!(value)),
                Value::Media => ("mediaIds", json!([DEMO_MEDIUM.to_string()])),
            };
            json!({
                "type": "RESULT", "stepId": step.id, "actionId": id, "position": here,
                member: value,
            })
        }
        Happening::FinishStep(step) => {
            json!({ "type": "FINISH_STEP", "stepId": step.id, "position": here })
        }
        Happening::Complete => json!({ "type": "COMPLETE", "position": here }),
    }
}

/// Where a round is walked.
struct Place {
    location: Json,
    points: Vec<Json>,
}

impl Place {
    /// The point of a step; null when it has none, or one that is gone.
    fn point_of(&self, record: &Json, step: &Step) -> &Json {
        let steps = list(record, "steps");
        let point = steps
            .iter()
            .find(|other| *member(other, "id") == step.id)
            .map(|step| member(step, "pointId"));
        let point = point.filter(|point| point.is_string());
        self.points.iter().find(|other| point == Some(member(other, "id"))).unwrap_or(&Json::Null)
    }

    /// The position of a point, or of the location when the point has none, moved to the north by `off`
    /// degrees; null when neither has one.
    fn position(&self, point: &Json, off: f64) -> Json {
        let of = |place| {
            Some((member(place, "latitude").as_f64()?, member(place, "longitude").as_f64()?))
        };
        of(point).or_else(|| of(&self.location)).map_or(Json::Null, |(latitude, longitude)| {
            json!({ "latitude": latitude + off, "longitude": longitude, "accuracy": 10 })
        })
    }
}

/// How the code of a point is read, and the code.
fn technology(point: &Json) -> (&str, &Json) {
    match member(point, "type").as_str() {
        Some("QR") => ("QR", member(point, "qrCode")),
        Some(tag @ ("RFID" | "NFC")) => (tag, member(point, "rfidCode")),
        Some(other) => (other, &Json::Null),
        None => ("VIRTUAL", &Json::Null),
    }
}

/// The round in this record.
fn round(record: &Json, place: &Place) -> Round {
    let mut steps: Vec<_> = list(record, "steps").iter().collect();
    steps.sort_by_key(|step| member(step, "order").as_i64());
    let steps = steps.into_iter().map(|record_of_step| {
        let open = list(record_of_step, "actions").iter();
        let open = open.filter(|action| state(action) != State::Completed);
        let mut step = Step {
            id: text(record_of_step, "id"),
            state: state(record_of_step),
            has_code: false,
            has_place: false,
            open: open.map(action).collect(),
        };
        let point = place.point_of(record, &step);
        step.has_code = technology(point).1.is_string();
        step.has_place = !place.position(point, 0.0).is_null();
        step
    });
    Round { state: state(record), steps: steps.collect() }
}

/// The action with a value that passes.
fn action(action: &Json) -> Action {
    let value = match member(action, "type").as_str() {
        Some("BOOLEAN") => Value::Boolean(true),
        Some("NUMBER") => {
            let (min, max) =
                (member(action, "minValue").as_f64(), member(action, "maxValue").as_f64());
            Value::Number(match (min, max) {
                (Some(min), Some(max)) => f64::midpoint(min, max),
                (bound, None) | (None, bound) => bound.unwrap_or(0.0),
            })
        }
        Some("MEDIA") => Value::Media,
        _ => Value::Text("OK".to_owned()),
    };
    Action { id: text(action, "id"), value }
}

fn state(record: &Json) -> State {
    match member(record, "state").as_str() {
        Some("PENDING") => State::Pending,
        Some("IN_PROGRESS") => State::InProgress,
        _ => State::Completed,
    }
}

fn text(record: &Json, name: &str) -> String {
    member(record, name).as_str().unwrap_or_default().to_owned()
}

fn list<'a>(record: &'a Json, name: &str) -> &'a [Json] {
    member(record, name).as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The member with this name; null when there is none.
fn member<'a>(record: &'a Json, name: &str) -> &'a Json {
    record.get(name).unwrap_or(&Json::Null)
}

fn later(now: Timestamp, pause: Duration) -> Timestamp {
    let millis = i64::try_from(pause.as_millis()).unwrap_or(i64::MAX);
    now.shifted(millis).unwrap_or(now)
}
