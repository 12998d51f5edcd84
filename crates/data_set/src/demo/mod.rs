//! The demo company: an invented security company with four languages, and its rounds of the last two
//! weeks and the next ten days. All persons are invented.
//!
//! The same `now` gives the same data: ids are fixed, times are relative to `now`, and random numbers
//! have fixed seeds.

mod company;
mod people;
mod phrases;
mod random;
mod rounds;

use patrol_domain::{
    Timestamp,
    data_set::Record,
    ids::{TokenId, UserId, Uuid},
};

/// The administrator of the demo company.
pub const DEMO_ADMIN: UserId = UserId(id(Kind::User, 1));

/// A token of the administrator. An example in the API document revokes it.
pub const DEMO_TOKEN: TokenId = TokenId(id(Kind::Token, 1));

/// The demo photo: a drawing of a face, as PNG.
pub const DEMO_PHOTO: &[u8] = include_bytes!("photo.png");

/// The employees with the demo photo. An example in the API document reads the photo of the first one,
/// another deletes the photo of the second one.
pub const DEMO_PHOTO_USERS: [UserId; 2] = [UserId(id(Kind::User, 11)), UserId(id(Kind::User, 12))];

/// The records of the demo company at `now`. A record comes after the records that it refers to.
#[must_use]
pub fn demo(now: Timestamp) -> Vec<Record> {
    let mut records = company::locations();
    records.extend(company::points());
    records.extend(people::users());
    records.extend(company::check_lists());
    records.extend(company::scheduled_tasks());
    records.extend(rounds::executions(now));
    records
}

/// The kinds of ids; the number is part of the id.
#[derive(Clone, Copy)]
enum Kind {
    Location = 1,
    GraphicPlan,
    Point,
    User,
    CheckList,
    CheckListAction,
    ScheduledTask,
    Execution,
    Step,
    Action,
    Series,
    StepSeries,
    ActionSeries,
    Media,
    Token,
}

/// The id with this number: `0190de30-KKKK-7000-8000-NNNNNNNNNNNN`, a UUID version 7 of
/// July 2024.
#[allow(clippy::as_conversions)] // the discriminant of an enumeration, in a constant
const fn id(kind: Kind, number: u64) -> Uuid {
    const FIRST: u128 = 0x0190_de30_0000_7000_8000_0000_0000_0000;
    Uuid::from_u128(FIRST | (kind as u128) << 80 | number as u128)
}

#[cfg(test)]
mod tests {
    use std::{
        collections::{HashMap, HashSet},
        io::Cursor,
        sync::Arc,
    };

    use patrol_domain::{
        Limits, Reference, Resource, Rules,
        access::{PasswordHasher, Role},
        task_execution::{State, Status},
    };

    use super::*;
    use crate::{Lines, write_record};

    fn now() -> Timestamp {
        Timestamp::parse("2026-03-29T01:17:42.123Z").unwrap()
    }

    struct NoPasswords;

    impl PasswordHasher for NoPasswords {
        fn hash(&self, _: &str) -> Result<String, String> {
            Err("the demo company has no passwords".into())
        }

        fn verify(&self, _: &str, _: &str) -> Result<bool, String> {
            Err("an import verifies no password".to_owned())
        }
    }

    #[test]
    fn every_record_can_be_written_and_read() {
        let records = demo(now());
        let mut file = Vec::new();
        for record in &records {
            write_record(record, &mut file).unwrap();
        }
        let rules = Rules { limits: Limits::default(), is_email: |text| text.contains('@') };
        let read: Result<Vec<_>, _> =
            Lines::new(Cursor::new(file), rules, 64, Arc::new(NoPasswords)).collect();
        let read: Vec<_> = read.unwrap().into_iter().map(|(_, record)| record).collect();
        assert_eq!(read, records);
        assert_eq!(demo(now()), records);
    }

    #[test]
    fn the_company_has_12_locations_40_points_25_users_and_300_executions() {
        let mut counts = HashMap::new();
        let mut languages = HashSet::new();
        for record in demo(now()) {
            if let Record::User(new) = &record {
                languages.insert(new.user.language.clone());
            }
            *counts.entry(record.kind()).or_insert(0) += 1;
        }
        for (kind, count) in [
            (Resource::Location, 12),
            (Resource::Point, 40),
            (Resource::User, 25),
            (Resource::TaskExecution, 300),
        ] {
            assert_eq!(counts.get(&kind), Some(&count), "{kind:?}");
        }
        assert!(languages.len() > 1);
    }

    #[test]
    fn executions_have_all_states_and_statuses_at_any_hour() {
        for hour in 0..24 {
            let now = now().shifted(hour * 3_600_000).unwrap();
            let (mut states, mut statuses) = (HashMap::new(), HashMap::new());
            for record in demo(now) {
                let Record::TaskExecution(execution) = record else { continue };
                let state = execution.progress.state();
                *states.entry(state).or_insert(0) += 1;
                *statuses.entry(execution.status()).or_insert(0) += 1;
                match state {
                    State::Pending => assert!(execution.start_at > now),
                    State::InProgress => assert!(execution.end_at > now),
                    State::Completed => assert!(execution.end_at <= now),
                }
            }
            assert_eq!(states.len(), 3, "{states:?}");
            for status in [Some(Status::Success), Some(Status::Warning), Some(Status::Error)] {
                assert!(statuses.get(&status).is_some_and(|count| *count >= 10), "{statuses:?}");
            }
        }
    }

    #[test]
    fn every_record_comes_after_the_records_that_it_refers_to() {
        let mut known = HashSet::new();
        for record in demo(now()) {
            for (path, reference) in record.references() {
                assert!(known.contains(&(reference.kind, reference.id)), "{path}");
            }
            let Reference { kind, id, parent: _ } = record.reference();
            known.insert((kind, id));
        }
        assert!(known.contains(&(Resource::User, DEMO_ADMIN.0)));
    }

    #[test]
    fn the_demo_administrator_has_the_role_admin() {
        let admin = demo(now()).into_iter().find_map(|record| match record {
            Record::User(new) if new.user.id == DEMO_ADMIN => Some(new.user.role),
            _ => None,
        });
        assert_eq!(admin, Some(Role::Admin));
    }
}
