//! The form of a graphic plan.

use actix_web::http::header::ContentType;
use patrol_domain::{
    StoreError, Versioned,
    graphic_plan::{GraphicPlan, MockGraphicPlans},
    location::Location,
    shared::drafted::MockRecords,
};

use crate::tests::{Ports, TestAnswer, TestServer, code, detail, id, request};

const LOCATION: &str = "/locations/0190a000-0000-7000-8000-000000000001/graphic-plans";
const PLAN: &str = "/locations/graphic-plans/0190a000-0000-7000-8000-000000000002";

/// A server with one location and a plan without a picture.
fn server() -> TestServer {
    let (mut locations, mut graphic_plans) = (MockRecords::new(), MockGraphicPlans::new());
    locations
        .expect_get()
        .returning(|_| Ok(Some(Versioned::unversioned(Location::new(id(0x001), "Port")))));
    graphic_plans.expect_create().returning(|new, _| {
        (new.make)(&[id::<patrol_domain::ids::LocationId>(0x001)].into_iter().collect())
            .map_err(Into::into)
    });
    graphic_plans.expect_get().returning(|plan| {
        let found = GraphicPlan::new(plan, id(0x001), "Roof");
        Ok((plan == id(0x002)).then(|| Versioned::unversioned(found)))
    });
    TestServer::new(Ports { locations, graphic_plans, ..Ports::default() })
}

async fn post(parts: &[(&str, &[u8])]) -> TestAnswer {
    let mut body = Vec::new();
    for (name, content) in parts {
        let head = format!("--X\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n");
        body.extend(head.as_bytes());
        body.extend(*content);
        body.extend(b"\r\n");
    }
    body.extend(b"--X--\r\n");
    let form = ("content-type", "multipart/form-data; boundary=X");
    server().send(request(&format!("POST {LOCATION}"), body).insert_header(form)).await
}

#[actix_web::test]
async fn parts_that_are_no_text_or_no_id_are_type_faults() {
    let answer = post(&[("name", b"\xff"), ("id", b"12"), ("other", b"\xff")]).await;
    assert_eq!(answer.code(), code(400, "input.data.invalid"));
    let expected =
        [detail("data.type.invalid", "name", "STRING"), detail("data.type.invalid", "id", "UUID")];
    assert_eq!(answer.details(), expected);
    let answer = post(&[("name", b""), ("id", b"")]).await;
    assert_eq!(answer.details(), [detail("data.type.invalid", "id", "UUID")]);
    let answer = post(&[("name", b"")]).await;
    assert_eq!(answer.code(), code(400, "input.data.invalid"));
    let expected = [
        detail("validation.length.failed", "name", "1,255"),
        detail("validation.notnull.failed", "image", ""),
    ];
    assert_eq!(answer.details(), expected);
}

#[actix_web::test]
async fn a_body_that_is_no_form_is_invalid() {
    let json = request(&format!("POST {LOCATION}"), "{}").insert_header(ContentType::json());
    assert_eq!(server().send(json).await.code(), code(400, "input.data.invalid"));
}

#[actix_web::test]
async fn a_plan_without_a_picture_is_read_and_its_image_is_not_found() {
    let answer = server().send(request(&format!("GET {PLAN}"), "")).await;
    let expected = serde_json::json!({
        "id": "0190a000-0000-7000-8000-000000000002",
        "locationId": "0190a000-0000-7000-8000-000000000001", "name": "Roof", "width": null,
        "height": null, "contentType": null,
    });
    assert_eq!((answer.status, answer.json()), (200, expected));
    let image = server().send(request(&format!("GET {PLAN}/image"), "")).await;
    assert_eq!(image.code(), code(404, "not.found"));
}

#[actix_web::test]
async fn an_unavailable_store_is_503() {
    let mut graphic_plans = MockGraphicPlans::new();
    let away = || StoreError::Unavailable("secret-address".to_owned());
    graphic_plans.expect_get().returning(move |_| Err(away()));
    let server = TestServer::new(Ports { graphic_plans, ..Ports::default() });
    for what in ["GET", "DELETE"] {
        let answer = server.send(request(&format!("{what} {PLAN}"), "")).await;
        assert_eq!(answer.code(), code(503, "service.unavailable"), "{what}");
    }
}
