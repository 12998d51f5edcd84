//! Every operation, in ways that succeed and that are refused, and every list with all its
//! parameters, before and after.

use std::{thread, time::Duration};

use patrol_tests::{
    Answer, Api, Form, Running,
    company::{
        ADMIN, AIRPORT, AIRPORT_PLAN, CHECK_LIST, EMPLOYEE, FORMER, GATE, GUARD, LOCKED, MANAGER,
        NOBODY, PIER, PLAN, PORT, ROUND, TEMPERATURE, TOWER, YARD,
    },
    escaped, execution_id, series_of, step_id, with,
};
use serde_json::{Value, json};

use super::recorded::Recorded;
use crate::path;

/// An image of 8 × 8 pixels.
/// A medium of the script.
const MEDIUM: &str = "0190a000-000e-7000-8000-000000000001";

const PICTURE: &[u8] = include_bytes!("picture.png");

/// Runs the script and returns all requests and responses.
pub(super) fn run(running: &Running) -> Vec<Recorded> {
    let mut script = Script {
        admin: running.admin.clone(),
        manager: running.api(MANAGER),
        employee: running.api(EMPLOYEE),
        recorded: Vec::new(),
    };
    script.lists();
    script.executions();
    script.media();
    script.reports();
    script.figures();
    script.users();
    script.photos();
    script.locations();
    script.points();
    script.plans();
    script.check_lists();
    script.schedules();
    script.scheduled_tasks();
    script.tokens();
    script.lists();
    script.events();
    script.recorded
}

struct Script {
    admin: Api,
    manager: Api,
    employee: Api,
    recorded: Vec<Recorded>,
}

impl Script {
    /// Records a response and returns its body.
    fn keep(&mut self, request: String, answer: Answer) -> Value {
        let body = serde_json::from_slice(&answer.body).unwrap_or(Value::Null);
        let is_read = request.starts_with("GET");
        self.recorded.push(Recorded::new(request, answer));
        if !is_read {
            // Makes sure that later requests have a later time on both stores.
            thread::sleep(Duration::from_millis(2));
        }
        body
    }

    fn read(&mut self, path: &str) -> Value {
        let answer = self.admin.get(path);
        self.keep(format!("GET {path}"), answer)
    }

    /// An administrator's change.
    fn change(&mut self, method: &str, path: &str, body: &Value) -> Value {
        let answer = self.admin.text(method, path, body.to_string());
        self.keep(format!("{method} {path} {body}"), answer)
    }

    fn remove(&mut self, path: &str) {
        let answer = self.admin.delete(path);
        let _ = self.keep(format!("DELETE {path}"), answer);
    }

    fn list(&mut self, path: &str, sorts: &[&str], filters: &[String]) {
        for sort in sorts {
            for direction in ["asc", "desc"] {
                let _ = self.read(&format!("{path}?sort={sort},{direction}&limit=40&offset=3"));
            }
        }
        for filter in filters {
            let _ = self.read(&format!("{path}?{filter}&sort=id,desc&limit=50"));
        }
        for page in
            ["", "?limit=0", "?limit=5&offset=295", "?offset=100000", "?limit=-1", "?sort=x"]
        {
            let _ = self.read(&format!("{path}{page}"));
        }
    }

    fn lists(&mut self) {
        let executions = [
            "id",
            "scheduledTaskId",
            "performerId",
            "name",
            "state",
            "status",
            "startAt",
            "endAt",
            "startedAt",
            "endedAt",
            "errorCount",
            "warningCount",
            "priority",
            "seriesId",
            "assigned",
            "deadlined",
            "published",
            "edited",
            "stepCount",
            "executedStepCount",
            "locationId",
            "orderStepsRequired",
        ];
        let mut filters: Vec<String> = [
            "name=round",
            "name=eq:round 1",
            "name=ne:ROUND 1",
            "name=in:round 1,round 3",
            "name=nin:Round 1",
            "name=%25",
            "name=_",
            "q=ночь",
            "q=НОЧ",
            "q=fence",
            "q=fire",
            "q=%5C",
            "state=PENDING",
            "state=ne:PENDING",
            "state=in:IN_PROGRESS,COMPLETED",
            "status=ERROR",
            "status=ne:ERROR",
            "status=nin:SUCCESS,WARNING",
            "published=true",
            "published=ne:true",
            "priority=MAJOR",
            "priority=in:MINOR,CRITICAL",
            "tags=night",
            "tags=ne:night",
            "tags=eq:night&tags=eq:fire",
            "tags=nin:fire,port",
            "startAt=gt:2026-01-31T08:00:00Z",
            "startAt=gte:2026-01-31T08:00:00Z",
            "endAt=lt:2026-01-31T09:00:00Z",
            "startAt=eq:2026-01-31T11:00:00%2B03:00",
            "startAt=ne:2026-01-31T08:00:00Z",
            "q=%00",
            "status=x",
            "startAt=yesterday",
            // That of a round in progress runs on, and passes another's between two requests.
            "state=ne:IN_PROGRESS&sort=totalExecutedTimeInMillis",
            "state=ne:IN_PROGRESS&sort=totalExecutedTimeInMillis,desc",
        ]
        .into_iter()
        .map(str::to_owned)
        .collect();
        let range = "startAt=gte:2026-01-31T08:30:00Z&endAt=lte:2027-01-01T00:00:00Z";
        for flags in ["withDateIntersection=true", "includeOpenTasks=true"] {
            filters.push(format!("{range}&{flags}"));
        }
        filters.push(format!("{range}&withDateIntersection=true&includeOpenTasks=true"));
        for operator in ["", "eq:", "ne:", "in:", "nin:"] {
            filters.push(format!("userId={operator}{GUARD}"));
            filters.push(format!("pointId={operator}{GATE}"));
            filters.push(format!("locationId={operator}{PORT}"));
            filters.push(format!("scheduledTaskId={operator}{ROUND}"));
            filters.push(format!("performerId={operator}{GUARD}"));
            filters.push(format!("id={operator}{}", execution_id(2)));
            filters.push(format!("seriesId={operator}{}", series_of(1)));
        }
        filters.push(format!("name={}&tags=night&state=PENDING", escaped("музей")));
        self.list("/task-executions/info", &executions, &filters);

        let filters = [
            "name=порт",
            "address=quay",
            "address=eq:1 quay rd",
            "tags=port",
            "tags=ne:port",
            "withGraphicPlan=true",
            "withGraphicPlan=false",
            "q=СКЛАД",
            "name=in:yard,airport",
        ]
        .map(str::to_owned);
        self.list("/locations", &["id", "name", "address", "latitude", "longitude"], &filters);

        let history = [
            "id",
            "historyId",
            "operation",
            "recordedAt",
            "locationId",
            "name",
            "type",
            "latitude",
            "longitude",
            "rfidCode",
            "qrCode",
        ];
        let mut filters =
            ["name=gate", "type=NFC", "type=in:QR,VIRTUAL", "tags=x", "tags=ne:x", "q=ворот"]
                .map(str::to_owned)
                .to_vec();
        filters.extend([format!("id={GATE}"), format!("id=in:{GATE},{PIER}")]);
        filters.extend([format!("locationId={PORT}"), format!("locationId=ne:{PORT}")]);
        self.list("/locations/points/history", &history, &filters);
        let points =
            ["id", "locationId", "name", "type", "latitude", "longitude", "rfidCode", "qrCode"];
        filters.extend(["qrCode=Q", "qrCode=ne:Q", "rfidCode=like:a"].map(str::to_owned));
        self.list("/locations/points", &points, &filters);

        let tokens = ["id", "userId", "name", "createdAt", "expiresAt"];
        self.list("/tokens", &tokens, &[format!("userId={MANAGER}"), format!("userId={NOBODY}")]);
    }

    fn executions(&mut self) {
        for n in 1..=4 {
            let record = self.read(&path(n));
            let _ = self.change("PUT", &path(n), &record);
            let _ = self.read(&path(n));
        }
        for body in [
            json!({}),
            json!({ "name": "Ночной обход 😀", "tags": ["b", "a", "b"], "priority": "CRITICAL" }),
            json!({ "description": null, "published": false, "deadlined": false }),
            json!({ "startAt": "2026-02-01T08:00:00.125+03:00", "endAt": "2026-02-01T09:00:00Z" }),
            json!({ "startAt": "2026-03-01T08:00:00Z" }),
            json!({ "performerId": FORMER, "assigneeIds": [] }),
            json!({ "assigneeIds": [GUARD, EMPLOYEE, MANAGER] }),
            json!({ "locationId": AIRPORT, "seriesId": series_of(1) }),
            json!({ "locationId": NOBODY, "performerId": NOBODY, "name": "" }),
            json!({ "assigneeIds": [NOBODY], "tags": ["\u{0}"], "colour": 1 }),
            json!([{}]),
            json!(null),
        ] {
            for n in [1, 3] {
                let _ = self.change("PATCH", &path(n), &body);
            }
            let _ = self.read(&path(1));
        }
        let mut record = self.read(&path(4));
        record["steps"][0]["pointId"] = json!(TOWER);
        record["steps"].as_array_mut().unwrap().reverse();
        record["name"] = json!("e\u{301} ﬁ ẞ İ");
        let _ = self.change("PUT", &path(4), &record);
        record["steps"][1]["actions"][0] =
            json!({ "id": null, "name": "Seal", "type": "TEXT", "order": 7, "required": true });
        let _ = self.change("PUT", &path(4), &record);
        record["steps"][0]["id"] = json!(step_id(1, 1));
        let _ = self.change("PUT", &path(4), &record);
        record["steps"] = json!([]);
        let _ = self.change("PUT", &path(4), &record);
        let _ = self.read(&path(4));
        self.copies_and_series();
        for n in [3, 3] {
            self.remove(&path(n));
            let _ = self.read(&path(n));
        }
        self.remove("/task-executions/x");
        for (api, who) in [(self.employee.clone(), "employee"), (self.manager.clone(), "manager")] {
            let answer = api.patch(&path(2), &json!({ "name": format!("by the {who}") }));
            let _ = self.keep(format!("PATCH by the {who}"), answer);
        }
        self.conditions();
    }

    fn copies_and_series(&mut self) {
        let copy = format!("{}/copy", path(1));
        for ids in [
            json!([execution_id(1)]),
            json!([execution_id(3), execution_id(2), execution_id(1)]),
            json!([execution_id(1), NOBODY]),
            json!([]),
            json!(["x", null]),
        ] {
            let copied = self.change("POST", &copy, &json!({ "taskIds": ids, "published": true }));
            if let Some(id) = copied["id"].as_str() {
                let made = format!("/task-executions/{id}");
                let _ = self.read(&made);
                let _ = self.change("PATCH", &made, &json!({ "name": "a copy" }));
            }
        }
        // The series of the demo company, from one of its members on.
        let list = "/task-executions/info?state=PENDING&sort=seriesId&sort=startAt&limit=30";
        let list = self.read(list);
        let of_series: Vec<Value> = list["data"]
            .as_array()
            .expect("data")
            .iter()
            .filter(|item| item["seriesId"].is_string())
            .cloned()
            .collect();
        assert!(of_series.len() > 5, "the demo company has series");
        for item in [&of_series[3], &of_series[1], &of_series[3]] {
            let place = format!("/task-executions/{}", item["id"].as_str().unwrap());
            let mut record = self.read(&place);
            record["name"] = json!("Later rounds");
            record["startAt"] = item["startAt"].clone();
            let _ = self.change("PUT", &format!("{place}/series?dryRun=true"), &record);
            let _ = self.change("PUT", &format!("{place}/series"), &record);
            record["steps"][0]["name"] = json!("Another first step");
            let _ = self.change("PUT", &format!("{place}/series"), &record);
            let _ = self.read(&place);
        }
        let _ = self.change("PUT", &format!("{}/series", path(2)), &json!({ "name": "x" }));
        let _ = self.read("/task-executions/info?name=later rounds&sort=startAt");
    }

    fn conditions(&mut self) {
        let read = self.admin.get(&path(2));
        let tag = read.etag();
        let _ = self.keep("GET with its version".to_owned(), read);
        for (name, value) in [("If-None-Match", tag.as_str()), ("If-None-Match", "\"x\"")] {
            let answer = self.admin.with(name, value).get(&path(2));
            let _ = self.keep(format!("GET if {name}"), answer);
        }
        for round in 0..2 {
            let body = json!({ "name": format!("condition {round}") });
            let answer = self.admin.with("If-Match", &tag).patch(&path(2), &body);
            let _ = self.keep("PATCH if it is still so".to_owned(), answer);
        }
        let answer = self.admin.with("If-Match", &tag).delete(&path(2));
        let _ = self.keep("DELETE if it is still so".to_owned(), answer);
    }

    fn reports(&mut self) {
        let path = format!("/task-executions/{}/reports", execution_id(2));
        let entry = |n: u32, kind: &str, members: Value| {
            let id = format!("0190a000-000c-7000-8000-{n:012x}");
            with(json!({ "id": id, "type": kind, "at": "2026-01-31T08:01:00Z" }), members)
        };
        let step = step_id(2, 1);
        let place = json!({ "latitude": 53.5, "longitude": 10.0, "accuracy": 7.5 });
        let scan = json!({ "stepId": step, "technology": "QR", "code": "?", "position": place });
        let entries = json!([
            entry(1, "SCAN", scan.clone()),
            entry(2, "START", json!({})),
            entry(3, "SCAN", scan),
            entry(4, "NOTE", json!({ "textValue": "снег" })),
            entry(5, "FINISH_STEP", json!({ "stepId": NOBODY })),
            entry(7, "NOTE", json!({ "mediaIds": [MEDIUM] })),
        ]);
        let _ = self.change("POST", &path, &entries);
        let _ = self.change("POST", &path, &entries);
        let _ = self.change(
            "POST",
            &path,
            &json!([{}, entry(6, "NOTE", json!({ "mediaIds": [NOBODY] }))]),
        );
        let _ = self.read(&path);
        for query in ["flagged=true", "outcome=REFUSED&sort=at,desc", "type=SCAN", "stepId=ne:x"] {
            let _ = self.read(&format!("{path}?{query}"));
        }
        let _ = self.read(&format!("/task-executions/{}", execution_id(2)));
    }

    fn figures(&mut self) {
        let period = "from=2000-01-01&to=2100-01-01";
        for query in [
            "",
            "from=2026-01-01&to=2025-12-31",
            "from=2026-02-30&to=x&groupBy=year&timeZone=Berlin&locationId=1",
            period,
        ] {
            let _ = self.read(&format!("/figures?{query}"));
        }
        for grouping in ["day", "week", "month", "location", "performer", "scheduledTask"] {
            let _ =
                self.read(&format!("/figures?{period}&groupBy={grouping}&timeZone=Asia/Kathmandu"));
        }
        for filter in ["late=true", "late=false", "missed=true", "missed=false", "late=maybe"] {
            let _ = self.read(&format!("/task-executions/info?{filter}"));
        }
    }

    fn users(&mut self) {
        let user = |id: &str| format!("/users/{id}");
        for body in [
            json!({}),
            json!({ "firstName": "Анна", "middleName": "М.", "phone": "", "language": "pt-BR" }),
            json!({ "employeeNo": "Ж-17", "employeePin": "0042", "email": null }),
            json!({ "locationIds": [PORT, YARD, AIRPORT], "tags": ["b", "a"] }),
            json!({ "role": null, "employeeNo": "a1", "email": "A1@EXAMPLE.ORG" }),
            json!({ "locationIds": [NOBODY], "role": "KING", "status": "GONE" }),
            json!({ "status": "INACTIVE" }),
            json!({ "status": "ACTIVE", "role": "MANAGER" }),
        ] {
            for id in [GUARD, FORMER, NOBODY] {
                let _ = self.change("PATCH", &user(id), &body);
            }
        }
        let _ = self.change("PATCH", "/users/x", &json!({}));
        for body in [
            json!([{ "id": GUARD, "employeeNo": "E1" }, { "id": EMPLOYEE, "employeeNo": "ж-17" }]),
            json!([{ "id": EMPLOYEE, "employeeNo": "ж-17" }, { "id": GUARD, "employeeNo": "ж-17" }]),
            json!([{ "id": GUARD, "phone": "1" }, { "id": NOBODY }, { "id": "x" }]),
            json!([{ "id": GUARD }, { "id": GUARD }]),
            json!([{ "id": MANAGER, "tags": [] }, { "id": ADMIN, "lastName": "Ёж 😀" }]),
            json!([]),
            json!({}),
        ] {
            let _ = self.change("POST", "/users/batch", &body);
        }
        for body in [
            json!({ "firstName": "Иво", "lastName": "K", "role": "MANAGER", "tags": ["b", "a"] }),
            json!({ "firstName": "", "role": "KING", "email": "A1@EXAMPLE.ORG", "locationIds": [NOBODY] }),
            json!({ "id": GUARD, "firstName": "I", "lastName": "K", "role": "EMPLOYEE" }),
        ] {
            let _ = self.change("POST", "/users", &body);
        }
        let _ = self.change(
            "POST",
            "/users/batch?dryRun=true",
            &json!([{ "id": GUARD, "phone": "9" }]),
        );
        for id in [GUARD, NOBODY, "x"] {
            let _ = self.read(&user(id));
            let _ = self.read(&format!("{}/events", user(id)));
        }
        let _ = self.read("/me");
        for query in [
            "",
            "name=ada",
            "q=ив",
            "q=ash",
            "role=in:ADMIN,MANAGER&sort=lastName,desc",
            "tags=a&sort=phone",
            "sort=middleName,desc&limit=3&offset=1",
            "sort=employeePin",
        ] {
            let _ = self.read(&format!("/users?{query}"));
        }
        for id in [FORMER, NOBODY, "x"] {
            self.remove(&user(id));
        }
        let answer = self.employee.patch(&user(EMPLOYEE), &json!({ "phone": "7" }));
        let _ = self.keep("PATCH of oneself".to_owned(), answer);
        let answer = self.employee.patch(&user(GUARD), &json!({ "phone": "7" }));
        let _ = self.keep("PATCH of somebody else".to_owned(), answer);
    }

    fn photos(&mut self) {
        let photo = |id: &str| format!("/users/{id}/photo");
        for id in [GUARD, NOBODY] {
            for content in [PICTURE, b"no picture"] {
                let answer = self.admin.upload(&photo(id), content);
                let _ = self.keep(format!("POST of {} bytes, {id}", content.len()), answer);
            }
            let _ = self.read(&photo(id));
        }
        let answer = self.admin.form(&photo(GUARD), &Form::default().field("other", "x"));
        let _ = self.keep("POST of another field".to_owned(), answer);
        for _ in 0..2 {
            self.remove(&photo(GUARD));
            let _ = self.read(&photo(GUARD));
        }
    }

    fn schedules(&mut self) {
        let schedule = json!({
            "timeZone": "Australia/Lord_Howe", "start": "2027-04-03T01:45:00", "durationMinutes": 30,
            "rrule": "FREQ=DAILY", "pauses": [{ "from": "2027-04-05", "to": "2027-04-06" }],
        });
        for change in [
            json!({}),
            json!({ "rrule": "FREQ=SECONDLY", "timeZone": "Moon" }),
            json!({ "start": "x", "exdates": [1] }),
        ] {
            let schedule = with(schedule.clone(), change);
            let body = json!({ "schedule": schedule, "from": "2027-04-01T00:00:00Z", "limit": 5 });
            let _ = self.change("POST", "/scheduled-tasks/preview", &body);
        }
    }

    fn locations(&mut self) {
        let full = json!({
            "name": "Склад 9", "address": "Двор, 9", "latitude": -0.1, "longitude": 180, "tags": ["б", "a", "б"],
        });
        let mut made = Vec::new();
        for change in [
            json!({}),
            json!({ "address": null, "latitude": null, "longitude": null, "tags": null }),
            json!({ "id": PORT }),
            json!({ "id": "x", "name": 1 }),
            json!({ "name": "", "latitude": 91, "longitude": null, "tags": [""], "colour": 1 }),
        ] {
            let created = self.change("POST", "/locations", &with(full.clone(), change));
            made.extend(created["id"].as_str().map(str::to_owned));
        }
        assert_eq!(made.len(), 2, "locations are made");
        let location = |id: &str| format!("/locations/{id}");
        for id in [&made[0], PORT, NOBODY, "x"] {
            let record = self.read(&location(id));
            let _ = self.change("PUT", &location(id), &with(full.clone(), json!({ "tags": [id] })));
            let _ = self.change("PUT", &location(id), &record);
            let _ = self.change("PUT", &location(id), &json!({ "latitude": 1 }));
            let _ = self.read(&location(id));
            let _ = self.read(&format!("{}/events", location(id)));
        }
        let _ = self.read("/locations?tags=a");
        for id in [&made[1], &made[1], PORT, AIRPORT, NOBODY, "x"] {
            self.remove(&location(id));
            let _ = self.read(&location(id));
        }
    }

    fn points(&mut self) {
        let full = json!({
            "locationId": PORT, "name": "Ворота", "type": "NFC", "latitude": 59.93,
            "longitude": -0.1, "rfidCode": "04A2", "qrCode": "\u{1}\"", "tags": ["x", "y"],
            "graphicPlans": [{ "id": PLAN, "x": 0.1, "y": 1e-7, "further": [1.50, null, 1e300, "\u{0}"] }],
        });
        let mut made = Vec::new();
        for change in [
            json!({}),
            json!({ "rfidCode": null, "qrCode": "Q", "name": "gate Ё" }),
            json!({ "type": "QR" }),
            json!({ "qrCode": null, "rfidCode": null, "latitude": null, "longitude": null }),
            json!({ "locationId": NOBODY, "type": null, "name": null }),
            json!({ "locationId": AIRPORT, "qrCode": "R", "rfidCode": "R" }),
            json!({ "latitude": 91, "longitude": "x", "tags": [""], "colour": 1 }),
        ] {
            let created = self.change("POST", "/locations/points", &with(full.clone(), change));
            made.extend(created["id"].as_str().map(str::to_owned));
        }
        assert!(made.len() > 1, "points are made");
        let point = |id: &str| format!("/locations/points/{id}");
        for id in [&made[0], GATE, NOBODY, "x"] {
            let record = self.read(&point(id));
            let _ = self.change("PUT", &point(id), &with(full.clone(), json!({ "qrCode": id })));
            let _ = self.change("PUT", &point(id), &record);
            let plans = json!({ "graphicPlans": [{ "id": AIRPORT_PLAN }] });
            let _ = self.change("PUT", &point(id), &with(full.clone(), plans));
            let _ = self.read(&point(id));
        }
        for id in [&made[1], &made[1], PIER, "x"] {
            let _ = self.read(&format!("{}/label", point(id)));
            self.remove(&point(id));
            let _ = self.read(&point(id));
        }
        let _ = self.read(&path(1));
    }

    fn plans(&mut self) {
        let of = |location: &str| format!("/locations/{location}/graphic-plans");
        let path = |plan: &str| format!("/locations/graphic-plans/{plan}");
        for (location, form) in [
            (YARD, Form::default().field("name", "Крыша").file("image", PICTURE)),
            (YARD, Form::default().field("name", "roof").file("image", PICTURE).field("id", PLAN)),
            (NOBODY, Form::default().field("name", "roof").file("image", PICTURE)),
            (YARD, Form::default().file("image", b"GIF89a")),
            ("x", Form::default()),
        ] {
            let answer = self.admin.form(&of(location), &form);
            let made = self.keep(format!("POST {}", of(location)), answer);
            let Some(id) = made["id"].as_str().map(str::to_owned) else { continue };
            let _ = self.read(&path(&id));
            let _ = self.read(&format!("{}/image", path(&id)));
            self.list(&of(YARD), &["name", "width", "contentType"], &["id=x".to_owned()]);
            self.remove(&path(&id));
            let _ = self.read(&format!("{}/events", path(&id)));
        }
        for id in [PLAN, AIRPORT_PLAN, NOBODY, "x"] {
            let _ = self.read(&path(id));
            let _ = self.read(&format!("{}/image", path(id)));
        }
        let _ = self.read(&of(PORT));
    }

    fn media(&mut self) {
        let path = |medium: &str| format!("/media/{medium}");
        for (id, content) in [
            (MEDIUM, PICTURE),
            (MEDIUM, PICTURE),
            (MEDIUM, b"%PDF-1.7"),
            (NOBODY, b"GIF89a"),
            ("x", PICTURE),
        ] {
            let form = Form::default().file("file", content).field("id", id);
            let answer = self.admin.form("/media", &form);
            let _ = self.keep(format!("POST /media {id}"), answer);
        }
        for id in [MEDIUM, NOBODY, "x"] {
            let _ = self.read(&path(id));
            let _ = self.read(&format!("{}/file", path(id)));
            let _ = self.read(&format!("{}/events", path(id)));
        }
    }

    fn check_lists(&mut self) {
        let list = |id: &str| format!("/check-lists/{id}");
        let actions = |id: &str| format!("/check-lists/{id}/actions");
        let read = self.read(&list(CHECK_LIST));
        let number = json!({ "name": "°C", "type": "NUMBER", "minValue": 0.1, "maxValue": 1e-300 });
        for body in [
            json!({ "name": "Двери", "actions": [{ "name": "Ё", "type": "TEXT" }] }),
            json!({ "name": "Doors", "actions": [{ "name": "1", "type": "MEDIA", "order": 3 }, number] }),
            json!({ "id": CHECK_LIST, "name": "", "actions": [{ "id": LOCKED }, number] }),
        ] {
            let made = self.change("POST", "/check-lists", &body);
            let Some(id) = made["id"].as_str() else { continue };
            let _ = self.change("PUT", &list(id), &with(made.clone(), json!({ "name": "Окна" })));
            let _ = self.change("PUT", &list(id), &read);
            for body in [&number, &json!({ "name": "x", "type": "NUMBER", "maxValue": 1.0 / 3.0 })]
            {
                let _ = self.change("POST", &actions(id), body);
            }
            let _ = self.read(&list(id));
            let _ = self.read(&format!("{}/events", list(id)));
        }
        for id in [PORT, "x"] {
            let _ = self.change("POST", &actions(id), &number);
            let _ = self.read(&list(id));
            self.remove(&list(id));
        }
        let filters = ["name=двери", "q=о", "name=ne:Doors", "id=x"].map(str::to_owned);
        self.list("/check-lists", &["id", "name"], &filters);
        let made = self.change("POST", "/check-lists", &json!({ "name": "short" }));
        self.remove(&list(made["id"].as_str().expect("an id")));
        let action = |id: &str| format!("/check-lists/actions/{id}");
        for id in [TEMPERATURE, LOCKED, CHECK_LIST, "x"] {
            for body in [
                json!({ "name": "°C", "type": "NUMBER" }),
                json!({ "name": "Sealed", "type": "BOOLEAN" }),
                json!({ "name": "", "type": null }),
                json!({}),
            ] {
                let _ = self.change("PUT", &action(id), &body);
            }
        }
        for id in [LOCKED, LOCKED, ROUND, "x"] {
            self.remove(&action(id));
        }
    }

    fn scheduled_tasks(&mut self) {
        let tasks = "/scheduled-tasks";
        let task = |id: &str| format!("{tasks}/{id}");
        let full = json!({
            "name": "Обход 😀", "description": "Ночь", "locationId": PORT, "priority": "CRITICAL",
            "assigneeIds": [GUARD, EMPLOYEE], "tags": ["b", "a"], "deadlined": true,
            "published": false, "enabled": false, "orderStepsRequired": true,
            "steps": [
                { "name": "B", "order": 3, "pointId": PIER, "actions": [
                    { "name": "x", "type": "NUMBER", "minValue": 1e-7, "required": true },
                    { "name": "y", "type": "TEXT", "order": -1 },
                ] },
                { "name": "A", "pointId": GATE, "checkListId": CHECK_LIST },
            ],
        });
        let mut made = Vec::new();
        for change in [
            json!({}),
            json!({ "id": NOBODY, "locationId": AIRPORT, "steps": null, "tags": [] }),
            json!({ "enabled": true, "schedule": {
                "timeZone": "Australia/Lord_Howe", "start": "2099-10-03T02:15:00", "durationMinutes": 45,
                "rrule": "FREQ=DAILY", "exdates": ["2099-10-03T02:15:00"],
                "pauses": [{ "from": "2099-10-05", "to": "2099-10-06" }],
            } }),
            json!({ "schedule": { "timeZone": "x", "start": "2099-10-03T02:15:00", "durationMinutes": 0 } }),
            json!({ "id": ROUND }),
            json!({ "name": "", "locationId": NOBODY, "assigneeIds": [NOBODY], "priority": "HIGH" }),
            json!({ "steps": [{ "id": PIER, "name": "s", "checkListId": LOCKED, "pointId": LOCKED }] }),
            json!({ "published": "x", "steps": 5 }),
        ] {
            let answer = self.change("POST", tasks, &with(full.clone(), change));
            made.extend(answer["id"].as_str().map(str::to_owned));
        }
        for id in made.iter().map(String::as_str).chain([ROUND, "x"]) {
            let read = self.read(&task(id));
            for change in
                [json!({}), json!({ "locationId": YARD, "steps": [] }), json!({ "id": PIER })]
            {
                let body = if read["id"].is_string() { read.clone() } else { full.clone() };
                let _ = self.change("PUT", &task(id), &with(body, change));
            }
            let _ = self.read(&format!("{}/events", task(id)));
        }
        self.runs(&made);
        for query in [
            "",
            "name=обход&sort=name,desc",
            "q=ноч&sort=description",
            "q=round",
            "priority=in:CRITICAL,NORMAL&sort=priority,desc",
            "tags=a&enabled=false",
            "sort=locationId,desc&sort=published&limit=2&offset=1",
            "sort=steps",
        ] {
            let _ = self.read(&format!("{tasks}?{query}"));
        }
        let _ = self.read(&format!("{tasks}?userId={GUARD}&locationId=ne:{PORT}&id=nin:{NOBODY}"));
        for id in [NOBODY, NOBODY, "x"] {
            self.remove(&task(id));
        }
    }

    /// Executions by hand, of these tasks and without one.
    fn runs(&mut self, tasks: &[String]) {
        let alone = json!({
            "name": "Без плана", "locationId": PORT, "startAt": "2099-01-01T00:00:00+03:00",
            "endAt": "2099-01-01T01:00:00Z", "performerId": GUARD,
            "steps": [{ "name": "A", "pointId": GATE, "actions": [
                { "name": "x", "type": "NUMBER", "minValue": 2, "maxValue": 1e9 },
            ] }],
        });
        let run = |task: &String| json!({ "scheduledTaskId": task, "startAt": "2099-02-01T00:00:00Z", "published": true });
        let mut bodies: Vec<_> = tasks.iter().map(run).collect();
        bodies.extend([
            with(
                bodies[0].clone(),
                json!({ "name": "Другой", "tags": ["c"], "steps": [], "id": LOCKED }),
            ),
            with(
                bodies[0].clone(),
                json!({ "id": LOCKED, "locationId": NOBODY, "performerId": NOBODY }),
            ),
            with(
                bodies[0].clone(),
                json!({ "scheduledTaskId": ROUND, "endAt": "2000-01-01T00:00:00Z" }),
            ),
            with(bodies[0].clone(), json!({ "scheduledTaskId": PIER, "steps": [{ "id": PIER }] })),
            with(bodies[0].clone(), json!({ "startAt": 5, "published": "x" })),
            with(alone.clone(), json!({ "scheduledTaskId": null })),
            with(alone, json!({ "steps": null, "startAt": null })),
        ]);
        for body in &bodies {
            let made = self.change("POST", "/task-executions", body);
            if let Some(id) = made["id"].as_str() {
                let _ = self.read(&format!("/task-executions/{id}"));
                let _ = self.read(&format!("/task-executions/{id}/events"));
            }
        }
        // An export has executions in the order of creation on SQLite, by id on PostgreSQL.
        self.remove(&format!("/task-executions/{LOCKED}"));
    }

    fn tokens(&mut self) {
        for body in [
            json!({ "name": "laptop" }),
            json!({ "name": "phone", "userId": MANAGER, "expiresAt": "2046-01-01T00:00:00Z" }),
            json!({ "name": "x", "expiresAt": "2006-01-01T00:00:00Z" }),
            json!({ "name": "x", "userId": NOBODY }),
            json!({ "name": null }),
        ] {
            let issued = self.change("POST", "/tokens", &body);
            if let Some(id) = issued["id"].as_str().filter(|_| body["name"] == "laptop") {
                let token = format!("/tokens/{id}");
                self.remove(&token);
                self.remove(&token);
            }
        }
        for (api, who) in [(self.employee.clone(), "employee"), (self.manager.clone(), "manager")] {
            let answer = api.get("/tokens?sort=name");
            let _ = self.keep(format!("GET tokens of the {who}"), answer);
        }
    }

    /// The log of all changes above.
    fn events(&mut self) {
        for query in [
            "limit=1000",
            "limit=3",
            "limit=1000&type=user.updated",
            "limit=1000&type=in:token.created,token.deleted",
            "limit=1000&resourceType=point",
            "limit=0",
            "type=x",
        ] {
            let _ = self.read(&format!("/events?{query}"));
        }
        let _ = self.read(&format!("/events?actorId={MANAGER}"));
        for record in [path(1), path(99), format!("/locations/points/{GATE}")] {
            let _ = self.read(&format!("{record}/events"));
        }
        let answer = self.employee.get("/events");
        let _ = self.keep("GET events of an employee".to_owned(), answer);
    }
}
