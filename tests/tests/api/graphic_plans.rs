//! Graphic plans and their pictures.

use std::fs;

use image::ImageFormat;
use patrol_tests::{
    Answer, Api, Form, Running,
    company::{
        AIRPORT, AIRPORT_PLAN, EMPLOYEE, GATE, GUARD, MANAGER, NOBODY, PIER, PLAN, PORT, YARD,
    },
    detail,
    pictures::picture,
    with,
};
use serde_json::{Value, json};

fn of(location: &str) -> String {
    format!("/locations/{location}/graphic-plans")
}

fn path(plan: &str) -> String {
    format!("/locations/graphic-plans/{plan}")
}

fn image(plan: &str) -> String {
    format!("{}/image", path(plan))
}

fn form(name: &str) -> Form {
    Form::default().field("name", name).file("image", &picture(ImageFormat::Png))
}

fn create(api: &Api, name: &str) -> Value {
    api.form(&of(YARD), &form(name)).json(201)
}

fn id(record: &Value) -> &str {
    record["id"].as_str().expect("an id")
}

/// An imported plan.
fn imported(id: &str, location: &str) -> Value {
    json!({
        "id": id, "locationId": location, "name": "Ground floor", "width": null, "height": null,
        "contentType": null,
    })
}

/// The point on these plans.
fn place(running: &Running, point: &str, plans: &[&str]) -> Answer {
    let path = format!("/locations/points/{point}");
    let places: Vec<_> = plans.iter().map(|plan| json!({ "id": plan, "x": 0.5 })).collect();
    let point = with(running.admin.get(&path).ok(), json!({ "graphicPlans": places }));
    running.admin.put(&path, &point)
}

#[test]
fn a_plan_lives_from_its_creation_to_its_deletion() {
    let running = Running::with([]);
    let manager = running.api(MANAGER);
    let location = || running.admin.get("/locations?name=yard").ok()["data"][0].clone();
    for (format, kind) in [
        (ImageFormat::Png, "image/png"),
        (ImageFormat::Jpeg, "image/jpeg"),
        (ImageFormat::WebP, "image/webp"),
    ] {
        let form = Form::default().file("image", &picture(format)).field("name", "Крыша");
        let created = manager.form(&of(YARD), &form);
        let plan = created.json(201);
        let id = id(&plan);
        let expected = json!({
            "id": id, "locationId": YARD, "name": "Крыша", "width": 64, "height": 32,
            "contentType": kind,
        });
        assert_eq!(plan, expected);
        assert_eq!(created.header("Location"), Some(format!("/v1{}", path(id)).as_str()));
        assert_eq!(location()["graphicPlanIds"], json!([id]));

        let employee = running.api(EMPLOYEE);
        let read = employee.get(&path(id));
        assert_eq!(read.ok(), plan);
        let known = employee.with("If-None-Match", &read.etag()).get(&path(id));
        assert_eq!((known.status, known.etag()), (304, read.etag()));
        let picture = employee.get(&image(id));
        assert_eq!(picture.status, 200);
        for (name, value) in [
            ("Content-Type", kind),
            ("Cache-Control", "private, no-cache"),
            ("X-Content-Type-Options", "nosniff"),
        ] {
            assert_eq!(picture.header(name), Some(value), "{name} of {kind}");
        }
        assert_eq!(image::guess_format(&picture.body).expect("an image"), format);
        let known = employee.with("If-None-Match", &picture.etag()).get(&image(id));
        known.is_bare(304);
        assert_eq!(running.store.photos().len(), 1);

        let other = manager.with("If-Match", "\"x\"").delete(&path(id));
        let _ = other.refused(412, "precondition.failed");
        manager.with("If-Match", &read.etag()).delete(&path(id)).is_bare(204);
        for gone in [manager.get(&path(id)), manager.get(&image(id)), manager.delete(&path(id))] {
            gone.refused(404, "not.found").shows(&[]);
        }
        assert_eq!(running.store.photos(), [] as [std::path::PathBuf; 0]);
        assert_eq!(location()["graphicPlanIds"], json!([]));
        let events = running.admin.get(&format!("{}/events", path(id))).ok();
        let events = events["data"].as_array().expect("data");
        let kinds: Vec<_> = events.iter().map(|event| event["type"].clone()).collect();
        assert_eq!(kinds, ["graphicPlan.created", "graphicPlan.deleted"]);
        // The plans are a member of the location.
        let events = running.admin.get(&format!("/locations/{YARD}/events")).ok();
        let last = events["data"].as_array().and_then(|data| data.last()).cloned();
        let last = last.expect("an event");
        assert_eq!(last["type"], "location.updated");
        let changes = json!([{ "member": "graphicPlanIds", "before": [id], "after": [] }]);
        assert_eq!(last["changes"], changes);
    }
    // An imported plan has no picture.
    assert_eq!(running.admin.get(&path(PLAN)).ok(), imported(PLAN, PORT));
    running.admin.get(&image(PLAN)).refused(404, "not.found").shows(&[]);
}

#[test]
fn a_plan_with_points_is_not_deleted() {
    let running = Running::with([]);
    let in_use = |count: &str| {
        let refused = running.admin.delete(&path(PLAN)).refused(409, "resource.in.use");
        refused.shows(&[detail("resource.in.use", "points", &[count])]);
    };
    for (point, count) in [(GATE, "1"), (PIER, "2")] {
        let _ = place(&running, point, &[PLAN, PLAN]).ok();
        in_use(count);
    }
    let _ = place(&running, GATE, &[]).ok();
    in_use("1");
    running.admin.delete(&format!("/locations/points/{PIER}")).is_bare(204);
    running.admin.delete(&path(PLAN)).is_bare(204);
    place(&running, GATE, &[PLAN]).invalid(&[detail(
        "validation.reference.failed",
        "graphicPlans[0].id",
        &[],
    )]);
    assert_eq!(running.admin.get(&path(AIRPORT_PLAN)).ok(), imported(AIRPORT_PLAN, AIRPORT));
}

#[test]
fn the_plans_of_a_location_are_listed() {
    let running = Running::with([]);
    let [roof, cellar] = ["roof", "Ётаж"].map(|name| create(&running.admin, name));
    let list =
        |location: &str, query: &str| running.admin.get(&format!("{}?{query}", of(location))).ok();
    let found = |query: &str| list(YARD, query)["data"].clone();
    assert_eq!(found(""), json!([roof, cellar]));
    assert_eq!(found("sort=name,desc"), json!([cellar, roof]));
    assert_eq!(found(&format!("id=ne:{}", id(&roof))), json!([cellar]));
    assert_eq!(found(&format!("id={PLAN}")), json!([]));
    for query in ["q=OO", "name=oo", "name=like:Oo", "name=eq:ROOF", "name=nin:ётаж"] {
        assert_eq!(found(query), json!([roof]), "{query}");
    }
    for query in ["q=Т", "name=in:ётаж,x", "name=ne:roof&q=таж"] {
        assert_eq!(found(query), json!([cellar]), "{query}");
    }
    let filtered = list(YARD, "q=o&name=o");
    assert_eq!(filtered["meta"]["count"], 1, "{filtered}");
    assert_eq!(found("sort=contentType&sort=width,desc&sort=height&limit=1"), json!([roof]));
    let sort = json!([{ "property": "id", "direction": "asc" }]);
    let meta = json!({ "offset": 0, "limit": 2_147_483_647, "count": 1, "sort": sort });
    let expected = json!({ "data": [imported(PLAN, PORT)], "meta": meta, "filter": [] });
    assert_eq!(list(PORT, ""), expected);
    let wrong = running.admin.get(&format!("{}?sort=image&limit=x", of(NOBODY)));
    let _ = wrong.refused(400, "input.data.invalid");
    let _ = running.admin.get(&of(NOBODY)).refused(404, "not.found");
    running.admin.get(&of("x")).misunderstood(&[detail("data.type.invalid", "id", &["UUID"])]);
}

#[test]
fn broken_forms_store_nothing() {
    let running = Running::with([]);
    let (api, before) = (&running.admin, running.exported());
    let png = picture(ImageFormat::Png);
    let send = |form: Form| api.form(&of(YARD), &form);
    let missing = |at: &str| detail("validation.notnull.failed", at, &[]);
    let unusable = detail("validation.image.failed", "image", &[]);
    send(Form::default().field("other", "x")).misunderstood(&[missing("name"), missing("image")]);
    let length = detail("validation.length.failed", "name", &["1", "255"]);
    let taken = detail("validation.unique.failed", "id", &[]);
    let truncated = &png[..png.len() / 2];
    let all = Form::default().field("name", "").field("id", PLAN).file("image", truncated);
    send(all).misunderstood(&[taken.clone(), length, unusable]);
    // A good picture of a refused plan is removed.
    send(form("x").field("id", PLAN)).misunderstood(&[taken]);
    let types = [detail("data.type.invalid", "id", &["UUID"])];
    send(form("x").field("id", "1")).misunderstood(&types);
    let twice = [detail("validation.unique.failed", "name", &[])];
    send(form("x").field("name", "y")).misunderstood(&twice);
    let text = api.text("POST", &of(YARD), json!({ "name": "x" }).to_string());
    let _ = text.refused(400, "input.data.invalid");
    let _ = api.form(&of(NOBODY), &Form::default()).refused(404, "not.found");
    api.form(&of("x"), &form("x")).misunderstood(&[detail("data.type.invalid", "id", &["UUID"])]);
    for path in [path("x"), image("x")] {
        api.get(&path).misunderstood(&[detail("data.type.invalid", "id", &["UUID"])]);
    }
    let employee = running.api(EMPLOYEE);
    for answer in [employee.form(&of(YARD), &form("x")), employee.delete(&path(PLAN))] {
        answer.refused(403, "access.denied").shows(&[]);
    }
    assert_eq!(running.store.photos().len(), 0);
    assert_eq!(running.exported(), before);
    // The client may make the id.
    assert_eq!(id(&api.form(&of(YARD), &form("x").field("id", NOBODY)).json(201)), NOBODY);
}

#[test]
fn a_check_knows_the_pictures_of_plans() {
    let running = Running::with([]);
    let plan = create(&running.admin, "roof");
    let object = running.store.photos().remove(0);
    let photo = running.admin.upload(&format!("/users/{GUARD}/photo"), &picture(ImageFormat::Png));
    let _ = photo.ok();
    for file in running.store.photos() {
        crate::photos::age(&file);
    }
    let check = |code| running.store.run(&["check"]).exited(code);
    assert_eq!(check(0).stdout, "photos: 2 found, 0 unused removed, 0 missing\n");
    assert_eq!(running.admin.get(&image(id(&plan))).status, 200);
    fs::remove_file(object).expect("an object");
    let checked = check(1);
    assert_eq!(checked.stdout, "photos: 1 found, 0 unused removed, 1 missing\n");
    assert!(checked.stderr.contains(id(&plan)), "{}", checked.stderr);
    running.admin.get(&image(id(&plan))).refused(404, "not.found").shows(&[]);
}
