//! Late, missed and on time.

use std::time::Duration;

use patrol_domain::{
    Timestamp,
    task_execution::{Progress, Punctuality, Timing},
};

use crate::sample::at;

const PUNCTUALITY: Punctuality = Punctuality { late_after: Duration::from_secs(600) };

/// Planned from minute 0 to minute 60.
fn planned(progress: Progress) -> Timing {
    Timing { published: true, progress, start_at: at(0), end_at: at(60) }
}

fn started(at: Timestamp) -> Timing {
    planned(Progress::InProgress { started_at: at })
}

fn completed(started_at: Timestamp, ended_at: Timestamp) -> Timing {
    planned(Progress::Completed { started_at, ended_at })
}

fn after(time: Timestamp) -> Timestamp {
    time.shifted(1).unwrap()
}

fn before(time: Timestamp) -> Timestamp {
    time.shifted(-1).unwrap()
}

#[test]
fn a_round_that_waits_is_late_once_the_bound_has_passed() {
    let pending = planned(Progress::Pending);
    for (now, late) in [(at(-5), false), (at(10), false), (after(at(10)), true), (at(900), true)] {
        assert_eq!(PUNCTUALITY.at(now).is_late(pending), late, "{now}");
    }
}

#[test]
fn a_round_that_started_late_stays_late() {
    for now in [at(0), at(11), at(900)] {
        let moment = PUNCTUALITY.at(now);
        assert!(!moment.is_late(started(at(-90))) && !moment.is_late(started(at(10))), "{now}");
        assert!(moment.is_late(started(after(at(10)))), "{now}");
        assert!(moment.is_late(completed(after(at(10)), at(30))), "{now}");
    }
}

#[test]
fn a_round_is_missed_when_its_end_has_passed_and_it_is_not_completed() {
    for (now, missed) in [(at(0), false), (at(60), false), (after(at(60)), true)] {
        let moment = PUNCTUALITY.at(now);
        assert_eq!(moment.is_missed(planned(Progress::Pending)), missed, "{now}");
        assert_eq!(moment.is_missed(started(at(0))), missed, "{now}");
        assert!(!moment.is_missed(completed(at(0), at(90))), "{now}");
    }
}

#[test]
fn a_round_is_on_time_within_the_bounds() {
    for (first, last, on_time) in [
        (at(0), at(60), true),
        (at(-60), at(70), true),
        (at(10), at(10), true),
        (before(at(-60)), at(60), false),
        (after(at(10)), at(60), false),
        (at(0), after(at(70)), false),
    ] {
        assert_eq!(PUNCTUALITY.is_on_time(completed(first, last)), on_time, "{first} {last}");
    }
    assert!(!PUNCTUALITY.is_on_time(started(at(0))));
    assert!(!PUNCTUALITY.is_on_time(planned(Progress::Pending)));
}

#[test]
fn nothing_holds_for_a_round_that_is_not_published() {
    for progress in [
        Progress::Pending,
        Progress::InProgress { started_at: at(30) },
        Progress::Completed { started_at: at(0), ended_at: at(60) },
        Progress::Completed { started_at: at(30), ended_at: at(60) },
    ] {
        let hidden = Timing { published: false, ..planned(progress) };
        let moment = PUNCTUALITY.at(at(900));
        assert!(!moment.is_late(hidden) && !moment.is_missed(hidden));
        assert!(!PUNCTUALITY.is_on_time(hidden));
    }
}
