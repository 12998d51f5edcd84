//! `limit`, `offset`, `sort`, `q`.

use super::*;

#[test]
fn without_parameters_the_whole_list_is_requested() {
    let asked = parsed("");
    assert_eq!(asked.query.condition, Condition::All(vec![]));
    assert_eq!(asked.query.search, None);
    assert_eq!(asked.query.sort, []);
    assert_eq!(asked.query.page, Page { limit: 2_147_483_647, offset: 0 });
    assert_eq!(asked.query.now, now());
    assert_eq!(asked.echo.sort, [("id", Direction::Ascending)]);
    assert_eq!(asked.echo.filter, []);
}

#[test]
fn limit_and_offset_have_their_whole_range() {
    for (query, limit, offset) in [
        ("limit=0", 0, 0),
        ("limit=50&offset=100", 50, 100),
        ("limit=2147483647", 2_147_483_647, 0),
        ("offset=9223372036854775807", 2_147_483_647, 9_223_372_036_854_775_807),
        ("limit=007", 7, 0),
    ] {
        assert_eq!(parsed(query).query.page, Page { limit, offset }, "{query}");
        assert_eq!(parsed(query).echo.page, Page { limit, offset }, "{query}");
    }
}

#[test]
fn limit_and_offset_must_be_integers_within_their_range() {
    let range =
        |name: &str, max: &str| ("validation.range.failed", name.to_owned(), format!("0,{max}"));
    for query in ["limit=-1", "limit=2147483648", "limit=99999999999999999999999"] {
        assert_eq!(fault(query), range("limit", "2147483647"), "{query}");
    }
    for query in ["offset=-1", "offset=9223372036854775808"] {
        assert_eq!(fault(query), range("offset", "9223372036854775807"), "{query}");
    }
    for value in ["abc", "", "1.0", "1e3", "+1", "%2B1", "-", "1%00", " 1", "%D9%A1", "0x10"] {
        for name in ["limit", "offset"] {
            let expected = ("data.type.invalid", name.to_owned(), "INTEGER".to_owned());
            assert_eq!(fault(&format!("{name}={value}")), expected, "{value}");
        }
    }
}

#[test]
fn sort_may_be_repeated_and_its_direction_left_out() {
    let asked = parsed("sort=name,desc&sort=startAt&sort=totalExecutedTimeInMillis,asc");
    let sort = |property, direction| Sort { property, direction };
    assert_eq!(
        asked.query.sort,
        [
            sort(ExecutionSort::Name, Direction::Descending),
            sort(ExecutionSort::StartAt, Direction::Ascending),
            sort(ExecutionSort::TotalExecutedTime, Direction::Ascending),
        ]
    );
    assert_eq!(
        asked.echo.sort,
        [
            ("name", Direction::Descending),
            ("startAt", Direction::Ascending),
            ("totalExecutedTimeInMillis", Direction::Ascending),
        ]
    );
}

#[test]
fn a_repeated_sort_is_echoed_and_has_no_effect() {
    let asked = parsed("sort=name&sort=id&sort=name,desc");
    assert_eq!(asked.query.sort.len(), 2);
    assert_eq!(asked.query.sort[0].direction, Direction::Ascending);
    assert_eq!(asked.echo.sort.len(), 3);
}

#[test]
fn every_scalar_field_of_the_summary_is_sortable_and_nothing_else() {
    let scalars = [
        "id",
        "scheduledTaskId",
        "performerId",
        "name",
        "state",
        "status",
        "startAt",
        "endAt",
        "startedAt",
        "endedAt",
        "totalExecutedTimeInMillis",
        "errorCount",
        "warningCount",
        "priority",
        "seriesId",
        "assigned",
        "deadlined",
        "published",
        "edited",
        "stepCount",
        "executedStepCount",
        "locationId",
        "orderStepsRequired",
        "flagCount",
        "late",
        "missed",
    ];
    for name in scalars {
        assert_eq!(parsed(&format!("sort={name}")).query.sort.len(), 1, "{name}");
    }
    for name in ["assigneeIds", "tags", "Name", "", "name;desc", "nil", "description", ",asc"] {
        let expected = ("validation.enum.failed", "sort".to_owned(), scalars.join(","));
        assert_eq!(fault(&format!("sort={name}")), expected, "{name}");
    }
    for direction in ["up", "", "DESC", "asc,desc", " asc"] {
        let expected = ("validation.enum.failed", "sort".to_owned(), "asc,desc".to_owned());
        assert_eq!(fault(&format!("sort=name,{direction}")), expected, "{direction}");
    }
}

#[test]
fn the_search_is_folded() {
    assert_eq!(parsed("q=Порт+3").query.search.as_deref(), Some("порт 3"));
    assert_eq!(parsed("q=in:A%25_").query.search.as_deref(), Some("in:a%_"));
    assert_eq!(parsed("q=").query.search, None);
}

#[test]
fn repeating_a_single_parameter_is_a_fault() {
    for (name, value) in [
        ("limit", "1"),
        ("offset", "1"),
        ("q", "x"),
        ("q", ""),
        ("withDateIntersection", "true"),
        ("includeOpenTasks", "false"),
    ] {
        let expected = ("validation.unique.failed", name.to_owned(), String::new());
        assert_eq!(fault(&format!("{name}={value}&{name}={value}")), expected, "{name}");
    }
}
