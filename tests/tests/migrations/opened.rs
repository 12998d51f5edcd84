//! Stores written by an earlier version: they are opened, migrated, and give the same responses.

use std::{fs, path::PathBuf};

use patrol_test_servers::postgres::Database;
use patrol_tests::{
    Answer, Running, Server, Store,
    company::{ADMIN, GUARD},
};
use serde_json::{Value, json};

/// The stored files and responses of the earlier version, in the folder of one store.
struct Earlier {
    folder: PathBuf,
    answers: Value,
}

impl Earlier {
    fn new(store: &str) -> Self {
        let folder = super::root().join("tests/data/written-by-5149410").join(store);
        let answers = fs::read_to_string(folder.join("answers.json")).expect("answers.json");
        Self { folder, answers: serde_json::from_str(&answers).expect("answers.json is JSON") }
    }

    /// Serves `store`, which has a copy of the records.
    fn serve(&self, store: Store) -> Running {
        let photos = store.path("photos");
        fs::create_dir(&photos).expect("a folder for photos");
        for entry in fs::read_dir(self.folder.join("photos")).expect("photos") {
            let entry = entry.expect("a photo");
            fs::copy(entry.path(), photos.join(entry.file_name())).expect("a copy");
        }
        let mut command = store.command(&["serve"]);
        command.env("PATROL_PHOTOS_URL", format!("file:{}", photos.display()));
        let server = Server::run(command);
        let admin = server.api().with_token(self.text("token"));
        Running { server, store, admin }
    }

    fn text(&self, member: &str) -> &str {
        self.answers[member].as_str().unwrap_or_else(|| panic!("{member} is a text"))
    }

    fn list(&self, member: &str) -> &[Value] {
        self.answers[member].as_array().unwrap_or_else(|| panic!("{member} is a list"))
    }

    /// Every response equals the recorded one. Members and ETags may have been added, and
    /// durations of executions in progress are ignored.
    fn answers_the_same(&self, running: &Running) {
        for known in self.list("answers") {
            let path = known["path"].as_str().expect("a path");
            let answer = running.admin.get(path);
            if let Some(etag) = known["etag"].as_str() {
                assert_eq!(answer.header("ETag"), Some(etag), "ETag of {path}");
            }
            includes(&body(&answer), &known["body"], path);
        }
        for user in self.list("users") {
            let id = user["id"].as_str().expect("an id");
            includes(&running.user(id), user, id);
        }
        let guard = running.server.api().with_token(self.text("guardToken"));
        let tokens = guard.get("/tokens").ok();
        assert_eq!(tokens["data"][0]["userId"], GUARD, "{tokens}");
    }
}

/// The body: JSON as it is, the bytes of an image as hexadecimal digits.
fn body(answer: &Answer) -> Value {
    match answer.header("Content-Type") {
        Some("application/json") => answer.ok(),
        _ => answer.body.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into(),
    }
}

/// Everything in `known` is in `now` with the same value.
fn includes(now: &Value, known: &Value, place: &str) {
    match (now, known) {
        (Value::Object(now), Value::Object(known)) => {
            for (name, known) in known {
                let place = format!("{place}.{name}");
                let now = now.get(name).unwrap_or_else(|| panic!("{place} is missing"));
                includes(now, known, &place);
            }
        }
        (Value::Array(now), Value::Array(known)) => {
            assert_eq!(now.len(), known.len(), "length of {place}");
            for (at, (now, known)) in now.iter().zip(known).enumerate() {
                includes(now, known, &format!("{place}[{at}]"));
            }
        }
        _ => assert_eq!(now, known, "{place}"),
    }
}

/// The records in the store can still be changed.
fn takes_changes(running: &Running) {
    let path = format!("/users/{ADMIN}");
    assert_eq!(running.admin.patch(&path, &json!({ "phone": "1" })).ok()["phone"], "1");
    let copied = running.read(1);
    let copy = json!({ "taskIds": [copied["id"]] });
    let path = format!("/task-executions/{}/copy", copied["id"].as_str().expect("an id"));
    assert_eq!(running.admin.post(&path, &copy).ok()["state"], "PENDING");
    let again = Store::empty();
    let lines = running.exported();
    let _ = again.run_with(&["import", "-"], lines).exited(0);
}

#[test]
fn a_file_of_sqlite_written_by_5149410_answers_as_it_did() {
    let earlier = Earlier::new("sqlite");
    let store = Store::sqlite();
    fs::copy(earlier.folder.join("patrol.db"), store.database()).expect("a copy");
    let running = earlier.serve(store);
    earlier.answers_the_same(&running);
    takes_changes(&running);
    running.store.check_integrity();
}

#[test]
fn a_database_of_postgres_written_by_5149410_answers_as_it_did() {
    let earlier = Earlier::new("postgres");
    let dump = fs::read_to_string(earlier.folder.join("patrol.sql")).expect("patrol.sql");
    let database = Database::empty();
    patrol_test_servers::postgres::execute(&database.url(), &dump);
    let running = earlier.serve(Store::elsewhere(&database.url()));
    earlier.answers_the_same(&running);
    takes_changes(&running);
}
