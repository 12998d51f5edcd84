//! The settings of the store, of what jobs do in it, and of photos.

use std::time::Duration;

use super::defaults::{CENTURY, MIB, cores};
use crate::settings::{
    setting::{Initial, Setting, Topic},
    value,
};

/// The longest horizon of schedules: a rule with 96 rounds a day makes 35,000 of them.
const LEAP_YEAR: Duration = Duration::from_secs(366 * 24 * 3600);

/// Twice the cores, at least 8.
fn twice_the_cores() -> usize {
    (2 * cores()).max(8)
}

pub(super) const SETTINGS: &[Setting] = &[
    Setting {
        name: "database_url",
        value: "URL",
        default: Initial::Text("sqlite:data/patrol.db"),
        help: "The store: sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE",
        topic: Topic::Store,
        set: |to, text| {
            to.database = value::database(text)?;
            Ok(())
        },
    },
    Setting {
        name: "database_pool",
        value: "NUMBER",
        default: Initial::Machine(twice_the_cores),
        help: "Connections to a database server, 2 × cores and at least 8; \
               SQLite has threads instead, by the number of cores",
        topic: Topic::Store,
        set: |to, text| {
            to.database_pool = value::number(text, 2..=1024)?;
            Ok(())
        },
    },
    Setting {
        name: "wal_limit",
        value: "SIZE",
        default: Initial::Text("1 GiB"),
        help: "Largest write-ahead log of SQLite; a list that would make it larger is aborted, the \
               longest running one first",
        topic: Topic::Store,
        set: |to, text| {
            let size = value::size(text, 4 * MIB..=1024 * 1024 * MIB)?;
            to.wal_limit = u64::try_from(size).unwrap_or(u64::MAX);
            Ok(())
        },
    },
    Setting {
        name: "list_memory",
        value: "SIZE",
        default: Initial::Text("64 MiB"),
        help: "Memory for what lists of task executions keep for later lists",
        topic: Topic::Store,
        set: |to, text| {
            let size = value::size(text, 0..=1024 * 1024 * MIB)?;
            to.list_memory = u64::try_from(size).unwrap_or(u64::MAX);
            Ok(())
        },
    },
    Setting {
        name: "events_keep",
        value: "TIME",
        default: Initial::Text("400d"),
        help: "How long the log of changes keeps an event",
        topic: Topic::Store,
        set: |to, text| {
            to.events_keep = value::duration_up_to(text, CENTURY)?;
            Ok(())
        },
    },
    Setting {
        name: "schedule_horizon",
        value: "TIME",
        default: Initial::Text("14d"),
        help: "How long before their start rounds are made from schedules; at most 366d",
        topic: Topic::Store,
        set: |to, text| {
            to.schedule_horizon = value::duration_up_to(text, LEAP_YEAR)?;
            Ok(())
        },
    },
    Setting {
        name: "photos_url",
        value: "URL",
        default: Initial::Text("file:data/photos"),
        help: "The photo store: file:PATH, s3://BUCKET/PREFIX or memory:",
        topic: Topic::Store,
        set: |to, text| {
            to.photos.place = value::photos(text)?;
            Ok(())
        },
    },
];
