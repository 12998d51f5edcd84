//! The company: its locations, graphic plans, points, users, check-lists and scheduled tasks, as lines of the
//! data set. `{today+4}` stands for the date in four days.

use std::{io::Cursor, sync::Arc};

use patrol_domain::{Limits, Rules, Timestamp, data_set::Record, schedule::LocalDateTime};

use crate::{Lines, lines::NoHashing};

const COMPANY: &str = include_str!("company.jsonl");

pub(super) const SECONDS_OF_A_DAY: i64 = 86_400;

/// The days from today that the lines name.
const DAYS: [i64; 3] = [4, 6, 8];

/// The records at `now`. A record comes after the records that it refers to.
pub(super) fn company(now: Timestamp) -> Vec<Record> {
    let mut lines = COMPANY.to_owned();
    for days in DAYS {
        let day = LocalDateTime::from_seconds((today(now) + days) * SECONDS_OF_A_DAY);
        let date = day.map(|day| day.date().to_string()).unwrap_or_default();
        lines = lines.replace(&format!("{{today+{days}}}"), &date);
    }
    let rules = Rules { limits: Limits::default(), is_email: |_| true };
    let records = Lines::new(Cursor::new(lines), rules, 8, Arc::new(NoHashing));
    // A test reads every line.
    records.filter_map(|record| Some(record.ok()?.1)).collect()
}

/// The date of `now` in UTC, in days since 1970-01-01.
pub(super) const fn today(now: Timestamp) -> i64 {
    now.millis().div_euclid(SECONDS_OF_A_DAY * 1_000)
}
