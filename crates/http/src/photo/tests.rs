//! Photos over HTTP.

use std::time::Duration;

use actix_web::{http::Method, test::TestRequest};
use patrol_domain::{
    StoreError, Versioned,
    ids::{MediaId, parse},
    photo::{MockImageOwners, MockPhotos, MockUserPhotos},
    user::MockUsers,
};
use serde_json::json;

use crate::{
    settings::Settings,
    tests::{NEW_ID, Ports, TestAnswer, TestServer, USER, code, detail},
    user::tests::{
        record,
        store::{ADA, EVE, PHOTO as OLD, PIN, Store, UNKNOWN},
    },
};

const FORM: &str = "multipart/form-data; boundary=X";
const DENIED: &str = "access.denied";

fn request(role: &str, method: Method, id: &str) -> TestRequest {
    let request = TestRequest::with_uri(&format!("/v1/users/{id}/photo")).method(method);
    request.insert_header(("authorization", role))
}

/// A form with these parts.
fn form(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut form = Vec::new();
    for (name, content) in parts {
        let head = format!("--X\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n");
        form.extend([head.as_bytes(), content, b"\r\n"].concat());
    }
    [form.as_slice(), b"--X--\r\n"].concat()
}

fn upload(role: &str, id: &str, body: Vec<u8>) -> TestRequest {
    request(role, Method::POST, id).insert_header(("content-type", FORM)).set_payload(body)
}

async fn post(store: &Store, role: &str, id: &str, content: &[u8]) -> TestAnswer {
    store.server().send(upload(role, id, form(&[("photo", content)]))).await
}

async fn get(store: &Store, id: &str) -> TestAnswer {
    store.server().send(request("employee", Method::GET, id)).await
}

async fn delete(store: &Store, role: &str, id: &str) -> TestAnswer {
    store.server().send(request(role, Method::DELETE, id)).await
}

fn of_photo(code: &str) -> Vec<(String, String, String)> {
    vec![detail(code, "photo", "")]
}

fn media(id: &str) -> MediaId {
    MediaId(parse(id).unwrap())
}

#[actix_web::test]
async fn a_new_photo_replaces_the_old_one() {
    let store = Store::new();
    let answer = post(&store, "admin", ADA, b"PNG\r\n--pixels").await;
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
    let expected = serde_json::to_value(record(&store.all()[0])).unwrap();
    assert_eq!(answer.json(), expected);
    assert_eq!((&expected["photoId"], &expected["employeePin"]), (&json!(NEW_ID), &json!(PIN)));
    assert_eq!(store.photo_ids(), [media(NEW_ID)]);
    let answer = get(&store, ADA).await;
    assert_eq!((answer.status, answer.body.as_slice()), (200, b"PNG\r\n--pixels".as_slice()));
}

#[actix_web::test]
async fn a_photo_has_its_media_type_and_only_the_client_may_cache_it() {
    let answer = get(&Store::new(), ADA).await;
    assert_eq!((answer.status, answer.body.as_slice()), (200, b"old pixels".as_slice()));
    for (name, value) in [
        ("content-type", "image/jpeg"),
        ("etag", &*format!("\"{OLD}\"")),
        ("cache-control", "private, no-cache"),
        ("x-content-type-options", "nosniff"),
    ] {
        assert_eq!(answer.header(name), Some(value), "{name}");
    }
    let head = request("employee", Method::HEAD, ADA);
    assert_eq!(Store::new().server().send_for_size(head).await, (200, Some(10), vec![]));
}

#[actix_web::test]
async fn a_client_with_the_current_photo_gets_304_and_the_image_is_not_read() {
    // No expectation is set: any call of the image port would give 500.
    let ports = || Ports { photos: MockPhotos::new(), ..Store::new().ports() };
    for tags in [format!("\"{OLD}\""), format!("\"1\", W/\"{OLD}\""), "*".to_owned()] {
        for method in [Method::GET, Method::HEAD] {
            let request = request("employee", method, ADA).insert_header(("if-none-match", &*tags));
            let answer = TestServer::new(ports()).send(request).await;
            assert_eq!((answer.status, answer.body.len()), (304, 0), "{tags}");
            assert_eq!(answer.header("etag"), Some(&*format!("\"{OLD}\"")));
            assert_eq!(answer.header("cache-control"), Some("private, no-cache"));
        }
    }
    let other = request("employee", Method::GET, ADA);
    let other = other.insert_header(("if-none-match", &*format!("\"{NEW_ID}\"")));
    assert_eq!(Store::new().server().send(other).await.status, 200);
}

#[actix_web::test]
async fn a_photo_is_read_with_one_look_at_its_user() {
    let store = Store::new();
    let user = store.all()[0].clone();
    let mut users = MockUsers::new();
    users.expect_get().times(1).returning(move |_| Ok(Some(Versioned::unversioned(user.clone()))));
    let server = TestServer::new(Ports { users, ..store.ports() });
    assert_eq!(server.send(request("employee", Method::GET, ADA)).await.status, 200);
}

#[actix_web::test]
async fn a_photo_is_deleted() {
    let store = Store::new();
    let answer = delete(&store, "admin", ADA).await;
    assert_eq!((answer.status, answer.body.as_slice()), (204, b"".as_slice()));
    assert_eq!((store.all()[0].photo_id, store.photo_ids()), (None, vec![]));
    assert_eq!(delete(&store, "admin", ADA).await.code(), code(404, "not.found"));
    assert_eq!(get(&store, ADA).await.code(), code(404, "not.found"));
}

#[actix_web::test]
async fn the_photo_of_an_unknown_user_is_not_found() {
    let store = Store::new();
    for id in [EVE, UNKNOWN, "b01", &*format!("{ADA},{EVE}")] {
        assert_eq!(get(&store, id).await.code(), code(404, "not.found"), "{id}");
        let answer = delete(&store, "admin", id).await;
        assert_eq!((answer.code(), answer.details()), (code(404, "not.found"), vec![]), "{id}");
    }
    assert_eq!(post(&store, "admin", UNKNOWN, b"PNG").await.code(), code(404, "not.found"));
    let answer = post(&store, "admin", "b01", b"PNG").await;
    assert_eq!(answer.code(), code(400, "input.data.invalid"));
    assert_eq!(answer.details(), [("data.type.invalid".into(), "id".into(), "UUID".into())]);
}

#[actix_web::test]
async fn a_photo_is_changed_by_its_user_a_manager_or_an_administrator() {
    let store = Store::new();
    for (role, id) in [("employee", USER), ("manager", EVE), ("admin", ADA)] {
        assert_eq!(post(&store, role, id, b"PNG").await.status, 200, "{role} {id}");
        assert_eq!(delete(&store, role, id).await.status, 204, "{role} {id}");
    }
    let store = Store::new();
    for (role, id) in
        [("employee", ADA), ("employee", EVE), ("employee", UNKNOWN), ("manager", ADA)]
    {
        assert_eq!(post(&store, role, id, b"PNG").await.code(), code(403, DENIED), "{role} {id}");
        assert_eq!(delete(&store, role, id).await.code(), code(403, DENIED), "{role} {id}");
    }
    assert_eq!(store.photo_ids(), [media(OLD)]);
}

#[actix_web::test]
async fn an_invalid_image_leaves_the_old_photo() {
    let store = Store::new();
    for content in [&b""[..], b"GIF", b"<svg/>"] {
        let answer = post(&store, "admin", ADA, content).await;
        assert_eq!(answer.code(), code(400, "input.data.invalid"));
        assert_eq!(answer.details(), of_photo("validation.image.failed"));
    }
    let answer = store.server().send(upload("admin", ADA, form(&[("picture", b"PNG")]))).await;
    assert_eq!(answer.code(), code(400, "input.data.invalid"));
    assert_eq!(answer.details(), of_photo("validation.notnull.failed"));
    let twice = form(&[("photo", b"PNG"), ("photo", b"PNG")]);
    let answer = store.server().send(upload("admin", ADA, twice)).await;
    assert_eq!(answer.code(), code(400, "input.data.invalid"));
    assert_eq!(answer.details(), of_photo("validation.unique.failed"));
    let answer = post(&store, "admin", ADA, b"busy").await;
    assert_eq!(answer.code(), code(503, "service.unavailable"));
    assert_eq!((store.all()[0].photo_id, store.photo_ids()), (Some(media(OLD)), vec![media(OLD)]));
}

#[actix_web::test]
async fn a_body_that_is_not_a_form_is_invalid() {
    let server = Store::new().server();
    for media in [
        None,
        Some("application/json"),
        Some("image/png"),
        Some("multipart/form-data"),
        Some("multipart/mixed; boundary=X"),
    ] {
        // The Content-Type is checked before the id.
        let mut request = request("admin", Method::POST, "b01").set_payload("PNG");
        if let Some(media) = media {
            request = request.insert_header(("content-type", media));
        }
        let answer = server.send(request).await;
        assert_eq!(answer.code(), code(400, "input.data.invalid"), "{media:?}");
        assert_eq!(answer.details(), []);
    }
    let packed = upload("admin", ADA, form(&[("photo", b"PNG")]));
    let answer = server.send(packed.insert_header(("content-encoding", "gzip"))).await;
    assert_eq!((answer.code(), answer.details()), (code(400, "input.data.invalid"), vec![]));
    for body in ["", "PNG", "--X\r\n"] {
        let answer = server.send(upload("admin", ADA, body.into())).await;
        assert_eq!((answer.code(), answer.details()), (code(400, "input.data.invalid"), vec![]));
    }
}

#[actix_web::test]
async fn a_photo_may_be_as_large_as_the_limit_and_its_form_a_little_larger() {
    let server = Store::new().server();
    let png = |length: usize| [b"PNG".as_slice(), &vec![0; length - 3]].concat();
    let (most, envelope) = (10 << 20, 64 << 10);
    for (parts, status) in [
        (vec![("photo", png(most))], 200),
        (vec![("photo", png(most)), ("note", vec![b'a'; envelope / 2])], 200),
        (vec![("photo", png(most + 1))], 413),
        (vec![("photo", png(most)), ("note", vec![b'a'; envelope])], 413),
    ] {
        let parts: Vec<_> = parts.iter().map(|(name, part)| (*name, part.as_slice())).collect();
        let answer = server.send(upload("admin", ADA, form(&parts))).await;
        assert_eq!(answer.status, status, "{:?}", answer.details());
    }
    let announced = upload("admin", UNKNOWN, Vec::new());
    let answer = server.send(announced.insert_header(("content-length", 11 << 20))).await;
    assert_eq!(answer.code(), code(413, "payload.too.large"));
}

#[actix_web::test]
async fn a_form_that_does_not_arrive_in_time_is_refused() {
    let settings = Settings { request_timeout: Duration::from_millis(20), ..Settings::default() };
    let server = TestServer::of(Store::new().ports(), settings, crate::features::ROUTES);
    let answer = server.send_without_body(upload("admin", ADA, Vec::new())).await;
    assert_eq!(answer.code(), code(400, "input.data.invalid"));
}

#[actix_web::test]
async fn an_upload_needs_memory_for_its_body() {
    let store = Store::new();
    let server = store.server();
    let upload = || upload("admin", ADA, form(&[("photo", b"PNG")]));
    let mut others = Vec::new();
    for bytes in [60 << 10, 1 << 10, 16, 1] {
        let mut other = server.shared().bodies.share(None, None);
        while other.raise(bytes).is_ok() {
            others.push(std::mem::replace(&mut other, server.shared().bodies.share(None, None)));
        }
    }
    let answer = server.send(upload()).await;
    assert_eq!(answer.code(), code(503, "service.unavailable"));
    assert_eq!((answer.header("retry-after"), store.photo_ids()), (Some("1"), vec![media(OLD)]));
    assert_eq!(get(&store, ADA).await.status, 200);
    drop(others);
    assert_eq!(server.send(upload()).await.status, 200);
    assert_eq!(server.shared().bodies.taken(), 0);
}

#[actix_web::test]
async fn faults_are_checked_in_the_documented_order() {
    let server = Store::new().server();
    let (empty, bad) = (form(&[]), form(&[("photo", b"GIF")]));
    for (role, id, media, body, expected) in [
        ("nobody", "b01", "text/plain", b"".to_vec(), code(401, "unauthorized")),
        ("employee", ADA, FORM, b"".to_vec(), code(400, "input.data.invalid")),
        ("employee", UNKNOWN, FORM, empty.clone(), code(403, DENIED)),
        ("manager", UNKNOWN, FORM, empty.clone(), code(404, "not.found")),
        ("manager", ADA, FORM, empty, code(403, DENIED)),
        ("manager", ADA, FORM, bad.clone(), code(403, DENIED)),
        ("manager", EVE, FORM, bad, code(400, "input.data.invalid")),
    ] {
        let request = upload(role, id, body).insert_header(("content-type", media));
        assert_eq!(server.send(request).await.code(), expected, "{role} {id}");
    }
}

#[actix_web::test]
async fn an_unavailable_store_is_503_with_retry_after() {
    let unavailable = || StoreError::Unavailable("secret-address".to_owned());
    let mut photos = MockPhotos::new();
    photos.expect_get().returning(move |_| Err(unavailable()));
    photos.expect_put().returning(move |_, _| Err(unavailable()));
    let mut user_photos = MockUserPhotos::new();
    let mut image_owners = MockImageOwners::new();
    image_owners.expect_announce().returning(|_, _| Ok(()));
    image_owners.expect_mark_for_removal().returning(move |_, _| Err(unavailable()));
    user_photos.expect_set().returning(move |_, _, _| Err(unavailable().into()));
    let server =
        TestServer::new(Ports { photos, user_photos, image_owners, ..Store::new().ports() });
    let form = form(&[("photo", b"PNG")]);
    for request in [
        request("admin", Method::GET, ADA),
        request("admin", Method::DELETE, ADA),
        upload("admin", ADA, form),
    ] {
        let (answer, log) = server.send_logged(request).await;
        assert_eq!(answer.code(), code(503, "service.unavailable"));
        assert_eq!(answer.header("retry-after"), Some("1"));
        assert!(!String::from_utf8(answer.body).unwrap().contains("secret"));
        assert!(log.contains("secret-address") && !log.contains(PIN), "{log}");
    }
}
