//! The bounds of requests.

use super::defaults::{CENTURY, HOUR, MIB};
use crate::settings::{
    setting::{Initial, Setting, Topic},
    value,
};

/// More than the camera of any phone produces; each pixel takes up to 11 bytes of memory.
const MAX_PIXELS: u64 = 200_000_000;
/// Bounded, because a photo is held in memory.
const MAX_PHOTO: usize = 64 * MIB;

pub(super) const SETTINGS: &[Setting] = &[
    Setting {
        name: "idempotency_keep",
        value: "TIME",
        default: Initial::Text("24h"),
        help: "How long the answer to a request with an Idempotency-Key is kept",
        topic: Topic::Requests,
        set: |to, text| {
            to.http.idempotency_keep = value::duration_up_to(text, CENTURY)?;
            Ok(())
        },
    },
    Setting {
        name: "failed_authentications",
        value: "NUMBER",
        default: Initial::Text("1000"),
        help: "Wrong tokens of one address within a minute; further ones get 429",
        topic: Topic::Requests,
        set: |to, text| {
            to.http.failed_authentications = value::number(text, 1..=1_000_000_000)?;
            Ok(())
        },
    },
    Setting {
        name: "request_timeout",
        value: "TIME",
        default: Initial::Text("30s"),
        help: "How long the head of a request may take to arrive, and how long its body",
        topic: Topic::Requests,
        set: |to, text| {
            to.http.request_timeout = value::duration_up_to(text, HOUR)?;
            Ok(())
        },
    },
    Setting {
        name: "bodies",
        value: "SIZE",
        default: Initial::Text("256MiB"),
        help: "Memory for the bodies of all requests in flight",
        topic: Topic::Requests,
        set: |to, text| {
            to.http.bodies = value::size(text, MIB..=1024 * 1024 * MIB)?;
            Ok(())
        },
    },
    Setting {
        name: "limit_header",
        value: "SIZE",
        default: Initial::Text("32 KiB"),
        help: "Largest head of a request",
        topic: Topic::Requests,
        set: |to, text| {
            to.http.header_limit = value::size(text, 1024..=MIB)?;
            Ok(())
        },
    },
    Setting {
        name: "limit_body",
        value: "SIZE",
        default: Initial::Text("2 MiB"),
        help: "Largest JSON body",
        topic: Topic::Requests,
        set: |to, text| {
            to.http.body_limit = value::size(text, 1024..=1024 * MIB)?;
            Ok(())
        },
    },
    Setting {
        name: "limit_batch",
        value: "SIZE",
        default: Initial::Text("8 MiB"),
        help: "Largest JSON body of a batch of users",
        topic: Topic::Requests,
        set: |to, text| {
            to.http.batch_limit = value::size(text, 1024..=1024 * MIB)?;
            Ok(())
        },
    },
    Setting {
        name: "limit_photo",
        value: "SIZE",
        default: Initial::Text("10 MiB"),
        help: "Largest photo",
        topic: Topic::Requests,
        set: |to, text| {
            to.http.photo_limit = value::size(text, 1024..=MAX_PHOTO)?;
            Ok(())
        },
    },
    Setting {
        name: "limit_pixels",
        value: "NUMBER",
        default: Initial::Text("25000000"),
        help: "Most pixels of a photo, width × height",
        topic: Topic::Requests,
        set: |to, text| {
            to.photos.pixels = value::number(text, 1..=MAX_PIXELS)?;
            Ok(())
        },
    },
    Setting {
        name: "limit_nesting",
        value: "NUMBER",
        default: Initial::Text("64"),
        help: "Deepest nesting of a JSON body and of a line of a data set",
        topic: Topic::Requests,
        set: |to, text| {
            to.http.nesting = value::number(text, 1..=127)?;
            Ok(())
        },
    },
];
