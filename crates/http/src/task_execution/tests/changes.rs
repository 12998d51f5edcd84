//! Effects of operations, and refusals.

use patrol_domain::task_execution::{Progress, State};

use super::{
    fixture::{id, in_progress},
    store::MISSING,
    *,
};
use crate::tests::NEW_ID;

#[actix_web::test]
async fn sending_back_an_execution_changes_only_edited() {
    let store = Store::of(vec![in_progress()]);
    let read = send(&store, &format!("GET /{PENDING}"), Value::Null).await;
    assert_eq!(read.status, 200);
    let answer = send(&store, &format!("PUT /{PENDING}"), read.json()).await;
    assert_eq!(answer.status, 200);
    let mut expected = in_progress();
    expected.edited = true;
    assert_eq!(store.get(0xe02).unwrap().record, expected);
}

#[actix_web::test]
async fn a_new_execution_is_returned_with_its_path_and_version() {
    let store = store();
    let body = with_member(content(), "performerId", Value::Null);
    let answer = send(&store, "POST ", body).await;
    assert_eq!(answer.status, 201);
    let path = format!("/v1/task-executions/{NEW_ID}");
    assert_eq!(answer.header("location"), Some(path.as_str()));
    let read = send(&store, &format!("GET /{NEW_ID}"), Value::Null).await;
    assert_eq!(read.json(), answer.json());
    assert_eq!(read.header("etag"), answer.header("etag"));
    assert!(read.header("etag").is_some());
    let put = with_member(content(), "name", Value::Null);
    let answer = send(&store, "POST ", with_member(put, "published", json!("no"))).await;
    assert_eq!(answer.details(), [detail("data.type.invalid", "published", "BOOLEAN")]);
    assert_eq!(store.len(), 3);
}

#[actix_web::test]
async fn a_put_reports_all_broken_rules_and_changes_nothing() {
    let store = store();
    let answer = send(&store, &format!("PUT /{PENDING}"), json!({"priority": "LOW"})).await;
    assert_eq!(answer.code(), code(400, "validation.failed"));
    assert_eq!(
        answer.details(),
        [
            detail("validation.notnull.failed", "locationId", ""),
            detail("validation.notnull.failed", "name", ""),
            detail("validation.notnull.failed", "startAt", ""),
            detail("validation.notnull.failed", "endAt", ""),
            detail("validation.enum.failed", "priority", "MINOR,NORMAL,MAJOR,CRITICAL"),
            detail("validation.notnull.failed", "steps", ""),
        ]
    );
    let body = with_member(content(), "assigneeIds", json!([MISSING_ID]));
    let answer = send(&store, &format!("PUT /{PENDING}"), body).await;
    assert_eq!(answer.code(), code(400, "validation.failed"));
    assert_eq!(answer.details(), [detail("validation.reference.failed", "assigneeIds[0]", "")]);
    assert_eq!(store.get(0xe02).unwrap().record, pending());
    assert_eq!(id::<patrol_domain::ids::Uuid>(MISSING).to_string(), MISSING_ID);
}

#[actix_web::test]
async fn a_patch_reports_all_broken_rules() {
    let body = json!({"name": null, "endAt": "2025-01-01T00:00:00Z", "tags": [""]});
    let answer = send(&store(), &format!("PATCH /{PENDING}"), body).await;
    assert_eq!(answer.code(), code(400, "validation.failed"));
    assert_eq!(
        answer.details(),
        [
            detail("validation.notnull.failed", "name", ""),
            detail("validation.period.failed", "endAt", ""),
            detail("validation.length.failed", "tags[0]", "1,100"),
        ]
    );
}

#[actix_web::test]
async fn a_patch_returns_the_summary_after_the_change() {
    let store = store();
    let body = json!({"description": null, "assigneeIds": [], "priority": "CRITICAL"});
    let answer = send(&store, &format!("PATCH /{PENDING}"), body).await;
    assert_eq!(answer.status, 200);
    let summary = answer.json();
    assert_eq!(summary["priority"], "CRITICAL");
    assert_eq!((&summary["assigned"], &summary["edited"]), (&json!(false), &json!(true)));
    assert_eq!(summary.as_object().unwrap().len(), 28);
    assert_eq!(store.get(0xe02).unwrap().record.description, None);
}

#[actix_web::test]
async fn only_published_and_tags_of_a_completed_execution_change() {
    let state = [detail("state.not.allowed", "state", "")];
    let store = store();
    for (what, body) in [
        ("PUT", content()),
        ("PATCH", json!({"name": "x"})),
        ("PATCH", json!({"tags": [], "deadlined": false})),
    ] {
        let answer = send(&store, &format!("{what} /{COMPLETED}"), body).await;
        assert_eq!(answer.code(), code(400, "input.data.invalid"), "{what}");
        assert_eq!(answer.details(), state, "{what}");
    }
    assert_eq!(store.get(0xe01).unwrap().record, completed());
    let body = json!({"published": false, "tags": ["kept"]});
    let answer = send(&store, &format!("PATCH /{COMPLETED}"), body).await;
    assert_eq!((answer.status, &answer.json()["published"]), (200, &json!(false)));
    let answer = send(&store, &format!("PUT /{COMPLETED}/series"), content()).await;
    assert_eq!(answer.details(), state);
}

#[actix_web::test]
async fn a_delete_is_permanent_and_possible_in_every_state() {
    for (number, id) in [(0xe01, COMPLETED), (0xe02, PENDING)] {
        let store = store();
        let answer = send(&store, &format!("DELETE /{id}"), Value::Null).await;
        assert_eq!((answer.status, answer.body.as_slice()), (204, b"".as_slice()));
        assert_eq!(store.get(number), None);
        let answer = send(&store, &format!("DELETE /{id}"), Value::Null).await;
        assert_eq!(answer.code(), code(404, "not.found"));
    }
}

#[actix_web::test]
async fn a_series_update_returns_the_old_and_the_new_series() {
    let store = store();
    let answer = send(&store, &format!("PUT /{PENDING}/series"), content()).await;
    assert_eq!(answer.status, 200);
    let expected = format!(
        "{{\"updatingSeriesId\":\"0190a000-0000-7000-8000-000000000d01\",\
         \"createdSeriesId\":\"{NEW_ID}\"}}"
    );
    assert_eq!(String::from_utf8(answer.body).unwrap(), expected);
    let moved = store.get(0xe02).unwrap().record;
    assert_eq!((moved.name.as_str(), moved.edited), ("New", true));
}

#[actix_web::test]
async fn all_faults_of_a_series_update_are_invalid_input() {
    for (body, details) in [
        (
            json!({}),
            vec![
                detail("validation.notnull.failed", "seriesId", ""),
                detail("validation.notnull.failed", "locationId", ""),
                detail("validation.notnull.failed", "name", ""),
                detail("validation.notnull.failed", "startAt", ""),
                detail("validation.notnull.failed", "endAt", ""),
                detail("validation.notnull.failed", "steps", ""),
            ],
        ),
        (
            with_member(content(), "seriesId", json!(MISSING_ID)),
            vec![detail("validation.reference.failed", "seriesId", "")],
        ),
        (
            with_member(content(), "seriesId", json!(1)),
            vec![detail("data.type.invalid", "seriesId", "UUID")],
        ),
    ] {
        let answer = send(&store(), &format!("PUT /{PENDING}/series"), body).await;
        assert_eq!(answer.code(), code(400, "input.data.invalid"));
        assert_eq!(answer.details(), details);
    }
}

#[actix_web::test]
async fn the_copy_of_the_execution_in_the_path_or_of_the_first_is_returned() {
    for (path, ids, published) in
        [(COMPLETED, json!([PENDING, COMPLETED]), true), (PENDING, json!([COMPLETED]), false)]
    {
        let store = store();
        let body = json!({"taskIds": ids, "published": published});
        let answer = send(&store, &format!("POST /{path}/copy"), body).await;
        assert_eq!(answer.status, 200);
        let copy = answer.json();
        assert_eq!(copy["state"], "PENDING");
        assert_eq!(copy["published"], published);
        assert_eq!(copy["id"], NEW_ID);
        assert_eq!(copy["steps"].as_array().unwrap().len(), 2);
        assert_eq!(copy.as_object().unwrap().len(), 8);
        let stored = store.get(0xff).unwrap().record;
        assert_eq!(stored.progress, Progress::Pending);
        assert_eq!(stored.steps[0].state, State::Pending);
    }
}

#[actix_web::test]
async fn all_faults_of_a_copy_are_invalid_input() {
    let many: Vec<_> = (0x10_000..0x10_000 + 1001_u32)
        .map(|number| id::<patrol_domain::ids::Uuid>(number).to_string())
        .collect();
    for (body, entry) in [
        (json!({}), detail("validation.notnull.failed", "taskIds", "")),
        (json!({"taskIds": []}), detail("validation.length.failed", "taskIds", "1,1000")),
        (json!({"taskIds": many}), detail("validation.length.failed", "taskIds", "1,1000")),
        (
            json!({"taskIds": [PENDING, PENDING]}),
            detail("validation.unique.failed", "taskIds[1]", ""),
        ),
        (json!({"taskIds": "x"}), detail("data.type.invalid", "taskIds", "ARRAY")),
    ] {
        let answer = send(&store(), &format!("POST /{PENDING}/copy"), body).await;
        assert_eq!(answer.code(), code(400, "input.data.invalid"));
        assert_eq!(answer.details(), [entry]);
    }
}

#[actix_web::test]
async fn a_copy_with_an_unknown_id_copies_nothing() {
    let store = store();
    let body = json!({"taskIds": [PENDING, UNKNOWN]});
    let answer = send(&store, &format!("POST /{PENDING}/copy"), body).await;
    assert_eq!(answer.code(), code(404, "not.found"));
    let details = answer.json()["details"].clone();
    assert_eq!(
        (&details[0]["code"], &details[0]["identifier"]),
        (&json!("not.found"), &json!("taskIds[1]"))
    );
    assert_eq!(store.len(), 2);
}
