//! Unusual query strings.

use patrol_domain::MAX_FAULTS;
use proptest::prelude::*;

use super::*;

/// Query strings that are nearly valid.
fn near_query() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec![
        "limit",
        "offset",
        "sort",
        "q",
        "name",
        "tags",
        "userId",
        "seriesId",
        "state",
        "published",
        "startAt",
        "withDateIntersection",
        "x",
    ]);
    let operator =
        prop::sample::select(vec!["", "eq:", "ne:", "in:", "nin:", "like:", "gt:", "x:"]);
    let value = prop_oneof![
        Just(A.to_owned()),
        Just(TIME.to_owned()),
        Just("PENDING".to_owned()),
        Just("true".to_owned()),
        Just("%FF".to_owned()),
        "[0-9]{1,20}",
        "[a-zA-Z,:%+]{0,12}",
    ];
    let pair = (name, operator, value)
        .prop_map(|(name, operator, value)| format!("{name}={operator}{value}"));
    prop::collection::vec(pair, 0..100).prop_map(|pairs| pairs.join("&"))
}

fn parses_or_reports_faults(query: &str) {
    match parse_query::<ExecutionList>(query, moment()) {
        Ok(asked) => {
            assert!(asked.query.page.limit <= Page::MAX_LIMIT);
            assert!(asked.query.page.offset <= Page::MAX_OFFSET);
            assert!(!asked.echo.sort.is_empty());
            let Condition::All(all) = &asked.query.condition else { panic!("{query}") };
            assert!(all.len() <= 64 && asked.query.sort.len() <= 8);
        }
        Err(ApiError::Known(problem)) => {
            assert_eq!(problem.code, Code::InputInvalid);
            assert!((1..=MAX_FAULTS).contains(&problem.details.len()));
            assert!(problem.details.iter().all(|detail| detail.identifier.is_some()));
        }
        Err(error) => panic!("{error:?}"),
    }
}

proptest! {
    #[test]
    fn any_query_string_parses_or_reports_faults(query in any::<String>()) {
        parses_or_reports_faults(&query);
    }

    #[test]
    fn any_nearly_valid_query_string_parses_or_reports_faults(query in near_query()) {
        parses_or_reports_faults(&query);
    }
}
