//! Two nodes of one database with photos in one bucket.

use std::time::Duration;

use patrol_test_servers::s3::Server as S3;
use patrol_tests::{
    Api, Server, Store,
    company::{self, ADMIN, GUARD},
};
use serde_json::Value;

use patrol_tests::within;

const PICTURE: &[u8] = include_bytes!("../postgres/same/picture.png");

fn path(user: &str) -> String {
    format!("/users/{user}/photo")
}

/// A node, and an administrator who talks to it.
fn node(store: &Store, s3: &S3) -> (Server, Api) {
    let mut command = store.command(&["serve"]);
    command.env("PATROL_PHOTOS_URL", s3.url("patrol")).envs(s3.environment());
    let server = Server::run(command);
    let admin = server.api().with_token(&store.token(ADMIN));
    (server, admin)
}

#[test]
fn a_photo_that_one_node_stores_is_read_replaced_and_deleted_on_the_other() {
    let (s3, store) = (S3::start(), Store::postgres().and(&company::company()));
    let [(_first, one), (_second, other)] = [node(&store, &s3), node(&store, &s3)];
    let record = one.upload(&path(GUARD), PICTURE).ok();
    let read = [&one, &other].map(|node| node.get(&path(GUARD)));
    assert_eq!(read.each_ref().map(|answer| answer.status), [200, 200]);
    assert_eq!(read[0].body, read[1].body);
    assert_eq!(read[0].etag(), read[1].etag());

    let replaced = other.upload(&path(GUARD), PICTURE).ok();
    assert_ne!(record["photoId"], replaced["photoId"]);
    assert_ne!(one.get(&path(GUARD)).etag(), read[0].etag());
    assert_eq!(s3.keys(), [format!("patrol/{}", replaced["photoId"].as_str().unwrap())]);

    one.delete(&path(GUARD)).is_bare(204);
    let _ = other.get(&path(GUARD)).refused(404, "not.found");
    assert!(s3.keys().is_empty());
}

#[test]
fn what_one_node_left_behind_another_one_removes_when_it_starts() {
    let (mut s3, store) = (S3::start(), Store::postgres().and(&company::company()));
    let (_first, one) = node(&store, &s3);
    let _ = one.upload(&path(GUARD), PICTURE).ok();
    s3.stop();
    one.delete(&path(GUARD)).is_bare(204);
    s3.resume_service();
    let photo = s3.keys();
    assert_eq!(photo.len(), 1, "nobody could remove it");
    // A node does not touch recent announcements, and the clean-up ran when the first node started.
    store.execute(
        "UPDATE photo_announcements SET announced_at = announced_at - interval '1 hour';
         UPDATE jobs SET due_at = 0",
    );
    let (_second, other) = node(&store, &s3);
    within(Duration::from_secs(30), "the object is gone", || s3.keys().is_empty());
    let user = other.patch(&format!("/users/{GUARD}"), &serde_json::json!({})).ok();
    assert_eq!(user["photoId"], Value::Null);
}
