//! Messages for refused lines.

use crate::sample::{lines, refusal, with_ids};

/// The message for a line, without the prefix `line 1: `. `#12` in the line is an id.
fn message(line: &str) -> String {
    let text = refusal(&with_ids(line));
    text.strip_prefix("line 1: ").unwrap().to_owned()
}

#[test]
fn the_kind_has_to_be_one_of_eight() {
    let kinds = "kind: must be one of location, graphicPlan, user, point, checkList, \
                 scheduledTask, taskExecution, report";
    for unknown in ["users", "User", "", "history"] {
        assert_eq!(message(&format!(r#"{{"kind":"{unknown}","id":1}}"#)), kinds);
    }
    assert_eq!(message("{}"), "kind: must not be null");
    assert_eq!(message(r#"{"kind":null}"#), "kind: must not be null");
    assert_eq!(message(r#"{"kind":["user"]}"#), "kind: must be a string");
    for other in ["[]", "null", "1", r#""user""#] {
        assert_eq!(message(other), "must be an object");
    }
}

#[test]
fn a_file_in_another_format_is_recognised() {
    for (line, message) in [
        (
            &b"\x1f\x8b\x08\0\0"[..],
            "is compressed with gzip; unpack the file, for example with gunzip",
        ),
        (b"PK\x03\x04\x14", "is a ZIP archive; unpack the file"),
        (b"\xff\xfe{\0", "is UTF-16; convert the file to UTF-8"),
        (b"\xfe\xff\0{", "is UTF-16; convert the file to UTF-8"),
        (b"[{}]", "is a list; write one object per line, without brackets"),
    ] {
        assert_eq!(refusal(line), format!("line 1 {message}"));
    }
    assert_eq!(message("{"), "not a complete JSON object; write each object on one line");
}

#[test]
fn all_missing_required_members_are_reported() {
    for (kind, faults) in [
        ("location", &["id", "name", "address"][..]),
        ("graphicPlan", &["id", "locationId", "name"]),
        ("point", &["id", "locationId", "name", "type"]),
        ("user", &["id", "firstName", "lastName", "language", "role", "status"]),
        ("checkList", &["id", "name"]),
        ("scheduledTask", &["id", "name"]),
        ("taskExecution", &["id", "locationId", "name", "startAt", "endAt"]),
        ("report", &["taskExecutionId", "id", "type", "at", "receivedAt", "outcome"]),
    ] {
        let line = format!(r#"{{"kind":"{kind}"}}"#);
        let text = message(&line);
        let mut named: Vec<_> = text.split("; ").collect();
        named.sort_unstable();
        let mut wanted: Vec<_> =
            faults.iter().map(|name| format!("{name}: must not be null")).collect();
        wanted.sort_unstable();
        assert_eq!(named, wanted, "{kind}");
    }
}

#[test]
fn unknown_members_are_refused_at_any_depth_in_every_kind() {
    for line in [
        r##"{"kind":"user","id":"#1","firstName":"A","lastName":"B","language":"en","role":"ADMIN","status":"ACTIVE","desciption":1}"##,
        r##"{"kind":"location","id":"#1","name":"A","address":"","desciption":1}"##,
        r##"{"kind":"graphicPlan","id":"#1","locationId":"#2","name":"A","desciption":1}"##,
        r##"{"kind":"point","id":"#1","locationId":"#2","name":"A","type":"QR","desciption":1}"##,
        r##"{"kind":"checkList","id":"#1","name":"A","desciption":1}"##,
        r##"{"kind":"scheduledTask","id":"#1","name":"A","desciption":1}"##,
        r##"{"kind":"taskExecution","id":"#1","scheduledTaskId":"#2","name":"A","locationId":"#3","startAt":"2026-01-01T00:00:00Z","endAt":"2026-01-01T00:00:00Z","desciption":null}"##,
        r##"{"kind":"report","taskExecutionId":"#1","id":"#2","type":"START","at":"2026-01-01T00:00:00Z","receivedAt":"2026-01-01T00:00:00Z","outcome":"ACCEPTED","desciption":1}"##,
    ] {
        assert_eq!(message(line), "desciption: unknown member");
    }
    assert_eq!(message(r#"{"kind":"user","userLinked":true}"#), "userLinked: unknown member");
    assert_eq!(
        message(
            r#"{"kind":"taskExecution","status":null,"steps":[{},{"actions":[{"colour":1}],"status":1}]}"#
        ),
        "steps[1].actions[0].colour: unknown member; steps[1].status: unknown member; \
         status: unknown member"
    );
    assert_eq!(
        message(r#"{"kind":"checkList","actions":[{"state":"PENDING"}]}"#),
        "actions[0].state: unknown member"
    );
}

#[test]
fn entries_of_reports_have_the_form_of_the_list() {
    let entry = |members: &str| {
        let line = r##"{"kind":"report","taskExecutionId":"#1","id":"#2","at":"2026-01-01T00:00:00Z","receivedAt":"2026-01-01T00:00:00Z","outcome":"ACCEPTED""##;
        message(&format!("{line},{members}}}"))
    };
    for (members, faults) in [
        (r##""type":"RESULT","stepId":"#3","actionId":"#4""##, "a RESULT needs a value"),
        (
            r#""type":"SCAN","technology":"LASER""#,
            "technology: must be one of VIRTUAL, QR, RFID, NFC, BLE; stepId: must not be null",
        ),
        (
            r#""type":"NOTE","position":{"latitude":91,"longitude":0,"accuracy":-1}"#,
            "position.latitude: must be from -90 to 90; position.accuracy: must be from 0 to 9223372036854775807",
        ),
        (
            r#""type":"NOTE","refusal":{"code":"state.not.allowed"}"#,
            "refusal: must be null in this state",
        ),
        (
            r#""type":"NOTE","verdicts":[{"code":"late.upload","args":["1"]}]"#,
            "verdicts[0].args: must have a length of 0 to 0",
        ),
        (
            r#""type":"NOTE","verdicts":[{"code":"late.upload","arg":1}]"#,
            "verdicts[0].arg: unknown member",
        ),
    ] {
        assert_eq!(entry(members), faults, "{members}");
    }
    let text = format!(r#""type":"NOTE","textValue":"{}""#, "é".repeat(10_001));
    assert_eq!(entry(&text), "textValue: must have a length of 0 to 10000");
}

#[test]
fn all_type_faults_are_reported_before_broken_rules() {
    assert_eq!(
        message(
            r#"{"kind":"taskExecution","id":"1","name":2,"published":"yes","startAt":"today","assigneeIds":{},"tags":["a",1,null],"x":1,"steps":[null,{"order":1.5,"actions":[{"minValue":"1","mediaIds":["m"]}]}]}"#
        ),
        "id: must be a UUID such as 0190a000-0000-7000-8000-000000000001; \
         name: must be a string; \
         assigneeIds: must be an array; \
         published: must be true or false; \
         startAt: must be a timestamp such as 2026-01-31T08:00:00.000Z; \
         tags[1]: must be a string; tags[2]: must be a string; \
         steps[0]: must be an object; \
         steps[1].order: must be an integer; \
         steps[1].actions[0].minValue: must be a number; \
         steps[1].actions[0].mediaIds[0]: must be a UUID such as \
         0190a000-0000-7000-8000-000000000001; \
         x: unknown member"
    );
}

#[test]
fn occurrences_are_local_times() {
    let wrong = "must be a local date and time such as 2026-12-01T22:00:00";
    assert_eq!(
        message(r#"{"kind":"taskExecution","occurrenceAt":"2026-12-01T22:00:00Z","edited":1}"#),
        format!("occurrenceAt: {wrong}; edited: must be true or false")
    );
    assert_eq!(
        message(r#"{"kind":"scheduledTask","leftOut":["2026-12-01T22:00:00","2026-12-01"]}"#),
        format!("leftOut[1]: {wrong}")
    );
}

#[test]
fn the_example_in_the_documentation() {
    let round = |kind: &str| {
        with_ids(&format!(
            r##"{{"kind":"taskExecution","id":"#1","scheduledTaskId":"#2","name":"A","locationId":"#3","startAt":"2026-01-01T00:00:00Z","endAt":"2026-01-01T00:00:00Z","steps":[{{"id":"#4","name":"Gate","actions":[{{"id":"#5","name":"a","type":"TEXT"}},{{"id":"#6","name":"b","type":"{kind}"}}]}}]}}"##
        ))
    };
    let text = format!("{}{}\n", format!("{}\n", round("TEXT")).repeat(16), round("PHOTO"));
    let read: Result<Vec<_>, _> = lines(text).collect();
    assert_eq!(
        read.unwrap_err(),
        "line 17: steps[0].actions[1].type: must be one of BOOLEAN, MEDIA, NUMBER, TEXT"
    );
}

#[test]
fn the_field_rules_of_the_api_apply() {
    assert_eq!(
        message(
            r##"{"kind":"location","id":"#1","name":"","address":"","latitude":90.5,"tags":["","a\u0000"]}"##
        ),
        "name: must have a length of 1 to 255; latitude: must be from -90 to 90; \
         longitude: must not be null; tags[0]: must have a length of 1 to 100; \
         tags[1]: must not contain the character U+0000"
    );
    assert_eq!(
        message(
            r##"{"kind":"point","id":"#1","locationId":"#2","name":"A","type":"GPS","graphicPlans":[{"x":1.5}],"qrCode":""}"##
        ),
        "type: must be one of VIRTUAL, QR, RFID, NFC, BLE; graphicPlans[0].id: must not be null; \
         graphicPlans[0].x: must be from 0 to 1; qrCode: must have a length of 1 to 255"
    );
    assert_eq!(
        message(
            r##"{"kind":"checkList","id":"#1","name":"A","actions":[{"id":"#2","name":"a","type":"TEXT","order":2147483648},{"id":"#2","name":"b","type":"TEXT"}]}"##
        ),
        "actions[0].order: must be from -2147483648 to 2147483647; actions[1].id: already exists"
    );
    let bounds = r##"{"id":"#2","name":"a","type":"NUMBER","minValue":5,"maxValue":1}"##;
    assert_eq!(
        message(&format!(r##"{{"kind":"checkList","id":"#1","name":"A","actions":[{bounds}]}}"##)),
        "actions[0].maxValue: must not be less than minValue"
    );
    let steps = format!(r##"[{{"id":"#3","name":"s","actions":[{bounds}]}}]"##);
    assert_eq!(
        message(&format!(r##"{{"kind":"scheduledTask","id":"#1","name":"A","steps":{steps}}}"##)),
        "steps[0].actions[0].maxValue: must not be less than minValue"
    );
}

#[test]
fn times_and_results_have_to_match_the_state() {
    let execution = |members: &str| {
        message(&format!(
            r##"{{"kind":"taskExecution","id":"#1","scheduledTaskId":"#2","name":"A","locationId":"#3","startAt":"2026-01-01T00:00:00Z","endAt":"2026-01-01T01:00:00Z",{members}}}"##
        ))
    };
    let time = r#""2026-01-01T00:30:00Z""#;
    assert_eq!(
        execution(&format!(r#""startedAt":{time},"endedAt":{time}"#)),
        "startedAt: must be null in this state; endedAt: must be null in this state"
    );
    assert_eq!(execution(r#""state":"IN_PROGRESS""#), "startedAt: must not be null");
    assert_eq!(
        execution(&format!(r#""state":"COMPLETED","startedAt":{time}"#)),
        "endedAt: must not be null"
    );
    let action = |action: &str| {
        execution(&format!(
            r##""steps":[{{"id":"#4","name":"a","actions":[{{"id":"#5","name":"b","type":"NUMBER",{action}}}]}}]"##
        ))
    };
    assert_eq!(
        action(r#""state":"IN_PROGRESS""#),
        "steps[0].actions[0].state: must be one of PENDING, COMPLETED"
    );
    assert_eq!(
        action(r#""state":"COMPLETED","textValue":"1""#),
        "steps[0].actions[0].numberValue: must not be null; \
         steps[0].actions[0].textValue: must be null in this state"
    );
    assert_eq!(
        action(r#""numberValue":1"#),
        "steps[0].actions[0].numberValue: must be null in this state"
    );
}

/// The operator gets one short line, also for strange files.
#[test]
fn a_message_is_one_short_line() {
    let name = "x\\n".repeat(1_000_000);
    let text = refusal(&format!(r#"{{"kind":"location","{name}":1}}"#));
    assert!(text.starts_with(r"line 1: x\nx\n"), "{}", text.len());
    assert!(text.len() < 1_000 && text.ends_with('…') && !text.contains('\n'), "{text}");
    let many: Vec<_> = (0..100_000).map(|at| format!(r#""m{at}":1"#)).collect();
    let text = refusal(&format!(r#"{{"kind":"location",{}}}"#, many.join(",")));
    assert!(text.ends_with("m19: unknown member; and 99980 more"), "{text}");
}
