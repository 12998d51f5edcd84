//! Filters: operators, unprefixed values, flags.

use super::*;

/// The single test of a query string with one filter.
fn test_of(query: &str) -> (ExecutionFilter, Test) {
    match condition(query) {
        Condition::All(all) => match all.as_slice() {
            [Condition::Is(property, test)] => (*property, test.clone()),
            other => panic!("{query}: {other:?}"),
        },
        other => panic!("{query}: {other:?}"),
    }
}

#[test]
fn a_text_without_an_operator_means_contains() {
    use Membership::{Any, None};
    let text = |membership, values: &[&str]| {
        Test::Text(membership, values.iter().map(|value| (*value).to_owned()).collect())
    };
    for (value, test) in [
        ("Gate", Test::Contains("gate".into())),
        ("ПОРТ", Test::Contains("порт".into())),
        ("like:Gate", Test::Contains("gate".into())),
        ("like:", Test::Contains(String::new())),
        ("a,b", Test::Contains("a,b".into())),
        ("eq:Gate", text(Any, &["gate"])),
        ("eq:a,b", text(Any, &["a,b"])),
        ("eq:", text(Any, &[""])),
        ("ne:Gate", text(None, &["gate"])),
        ("in:A,b,a", text(Any, &["a", "b"])),
        ("in:a,", text(Any, &["a", ""])),
        ("nin:A,b", text(None, &["a", "b"])),
        ("100%25_\\", Test::Contains("100%_\\".into())),
        ("eq:eq:x", text(Any, &["eq:x"])),
    ] {
        assert_eq!(test_of(&format!("name={value}")), (ExecutionFilter::Name, test), "{value}");
    }
}

#[test]
fn an_unknown_prefix_is_part_of_the_value() {
    for value in ["x:y", "EQ:y", "between:1", ":y", "eq :y", " eq:y", "http://eq:80"] {
        let test = Test::Contains(value.to_lowercase());
        let query = format!("name={}", value.replace(' ', "%20"));
        assert_eq!(test_of(&query), (ExecutionFilter::Name, test), "{value}");
    }
    let test = Test::Tags(Membership::Any, vec!["floor:2".into()]);
    assert_eq!(test_of("tags=floor:2"), (ExecutionFilter::Tags, test));
}

#[test]
fn tags_are_compared_exactly_and_separated_by_commas() {
    use Membership::{Any, None};
    let tags = |membership, values: &[&str]| {
        Test::Tags(membership, values.iter().map(|value| (*value).to_owned()).collect())
    };
    for (value, test) in [
        ("Night", tags(Any, &["Night"])),
        ("Night,порт", tags(Any, &["Night", "порт"])),
        ("in:tag1,tag2", tags(Any, &["tag1", "tag2"])),
        ("in:one", tags(Any, &["one"])),
        ("eq:a,b", tags(Any, &["a,b"])),
        ("ne:a", tags(None, &["a"])),
        ("nin:a,b", tags(None, &["a", "b"])),
    ] {
        assert_eq!(test_of(&format!("tags={value}")), (ExecutionFilter::Tags, test), "{value}");
    }
}

#[test]
fn ids_are_read_in_any_case() {
    use ExecutionFilter::{Location, Point, User};
    use Membership::{Any, None};
    for (name, property) in [("userId", User), ("locationId", Location), ("pointId", Point)] {
        for (value, membership, ids) in [
            (A.to_owned(), Any, vec![A]),
            (A.to_uppercase(), Any, vec![A]),
            (format!("{A},{B}"), Any, vec![A, B]),
            (format!("in:{A},{B},{A}"), Any, vec![A, B]),
            (format!("eq:{A}"), Any, vec![A]),
            (format!("ne:{A}"), None, vec![A]),
            (format!("nin:{A},{B}"), None, vec![A, B]),
        ] {
            let test = Test::Ids(membership, ids.into_iter().map(id).collect());
            assert_eq!(test_of(&format!("{name}={value}")), (property, test), "{value}");
        }
        for value in ["x", "in:x", &format!("{A},"), &format!("eq:{A},{B}"), "eq:", "%00", "ne:1"] {
            let expected = ("data.type.invalid", name.to_owned(), "UUID".to_owned());
            assert_eq!(fault(&format!("{name}={value}")), expected, "{value}");
        }
    }
}

#[test]
fn enumerations_are_read_by_name() {
    use Membership::{Any, None};
    for (query, property, membership, codes) in [
        ("state=IN_PROGRESS", ExecutionFilter::State, Any, vec![1]),
        ("state=PENDING,COMPLETED", ExecutionFilter::State, Any, vec![0, 2]),
        ("state=in:IN_PROGRESS", ExecutionFilter::State, Any, vec![1]),
        ("state=ne:COMPLETED", ExecutionFilter::State, None, vec![2]),
        ("status=in:SUCCESS,WARNING,ERROR", ExecutionFilter::Status, Any, vec![0, 1, 2]),
        ("status=nin:ERROR", ExecutionFilter::Status, None, vec![2]),
        ("priority=eq:CRITICAL", ExecutionFilter::Priority, Any, vec![3]),
        ("priority=in:NORMAL", ExecutionFilter::Priority, Any, vec![1]),
    ] {
        assert_eq!(test_of(query), (property, Test::Codes(membership, codes)), "{query}");
    }
    for (query, name, allowed) in [
        ("state=pending", "state", "PENDING,IN_PROGRESS,COMPLETED"),
        ("state=in:PENDING,", "state", "PENDING,IN_PROGRESS,COMPLETED"),
        ("state=eq:PENDING,COMPLETED", "state", "PENDING,IN_PROGRESS,COMPLETED"),
        ("status=BAD", "status", "SUCCESS,WARNING,ERROR"),
        ("priority=in:NORMAL,LOW", "priority", "MINOR,NORMAL,MAJOR,CRITICAL"),
        ("state=x:PENDING", "state", "PENDING,IN_PROGRESS,COMPLETED"),
        ("state=%00", "state", "PENDING,IN_PROGRESS,COMPLETED"),
    ] {
        let expected = ("validation.enum.failed", name.to_owned(), allowed.to_owned());
        assert_eq!(fault(query), expected, "{query}");
    }
}

#[test]
fn booleans_are_true_or_false() {
    for (value, flag) in [
        ("true", true),
        ("false", false),
        ("eq:true", true),
        ("ne:true", false),
        ("ne:false", true),
    ] {
        let expected = (ExecutionFilter::Published, Test::Flag(flag));
        assert_eq!(test_of(&format!("published={value}")), expected, "{value}");
    }
    for value in ["1", "yes", "True", "eq:", "true,false", "x:true"] {
        let expected = ("data.type.invalid", "published".to_owned(), "BOOLEAN".to_owned());
        assert_eq!(fault(&format!("published={value}")), expected, "{value}");
    }
}

#[test]
fn times_have_comparison_operators() {
    use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
    use ExecutionFilter::{EndAt, StartAt};
    for (name, property) in [("startAt", StartAt), ("endAt", EndAt)] {
        for (operator, comparison) in [
            ("", Equal),
            ("eq:", Equal),
            ("ne:", NotEqual),
            ("gt:", Greater),
            ("gte:", GreaterOrEqual),
            ("lt:", Less),
            ("lte:", LessOrEqual),
        ] {
            let filters = [DateFilter { property, comparison, time: time() }];
            let expected = Condition::All(vec![date_condition(&filters, false, false)]);
            for value in [TIME, "2026-01-31T08:00:00Z", "2026-01-31T11:00:00%2B03:00"] {
                let query = format!("{name}={operator}{value}");
                assert_eq!(condition(&query), expected, "{query}");
            }
        }
        // An unescaped plus is a space, so the last value is not a time.
        for value in ["2026-01-31", "gt:now", "gt:", "x:1", "2026-01-31T11:00:00+03:00"] {
            let expected = ("data.type.invalid", name.to_owned(), "TIMESTAMP".to_owned());
            assert_eq!(fault(&format!("{name}={value}")), expected, "{value}");
        }
    }
}

#[test]
fn the_fault_for_a_wrong_operator_lists_the_allowed_ones() {
    let of = |names: &[&str], operators: &[&str], has: &str| {
        for name in names {
            for operator in operators {
                let query = format!("{name}={operator}:{A}");
                let expected = ("validation.enum.failed", (*name).to_owned(), has.to_owned());
                assert_eq!(fault(&query), expected, "{query}");
            }
        }
    };
    of(&["name"], &["gt", "gte", "lt", "lte"], "eq,ne,in,nin,like");
    let sets = ["tags", "userId", "pointId", "locationId", "state", "status", "priority"];
    of(&sets, &["like", "gt", "gte", "lt", "lte"], "eq,ne,in,nin");
    of(&["published"], &["in", "nin", "like", "gt", "lt"], "eq,ne");
    of(&["startAt", "endAt"], &["in", "nin", "like"], "eq,ne,gt,gte,lt,lte");
}

#[test]
fn a_list_operator_without_values_is_a_fault() {
    for name in ["name", "tags", "userId", "pointId", "locationId", "state", "status", "priority"] {
        for operator in ["in:", "nin:"] {
            let expected = ("validation.notnull.failed", name.to_owned(), String::new());
            assert_eq!(fault(&format!("{name}={operator}")), expected, "{name} {operator}");
        }
    }
}

#[test]
fn filters_on_one_property_all_apply() {
    let Condition::All(all) = condition("tags=a&state=PENDING&tags=b") else { panic!() };
    let tag = |tag: &str| {
        let test = Test::Tags(Membership::Any, vec![tag.to_owned()]);
        Condition::Is(ExecutionFilter::Tags, test)
    };
    let state = Condition::Is(ExecutionFilter::State, Test::Codes(Membership::Any, vec![0]));
    assert_eq!(all, [tag("a"), state, tag("b")]);
}

#[test]
fn date_flags_apply_at_any_position() {
    let filters = [
        DateFilter {
            property: ExecutionFilter::StartAt,
            comparison: Comparison::Greater,
            time: time(),
        },
        DateFilter { property: ExecutionFilter::EndAt, comparison: Comparison::Less, time: time() },
    ];
    let dates = format!("startAt=gt:{TIME}&endAt=lt:{TIME}");
    for (intersection, open_pass) in [(false, false), (true, false), (false, true), (true, true)] {
        let flags = format!("withDateIntersection={intersection}&includeOpenTasks={open_pass}");
        let expected = Condition::All(vec![date_condition(&filters, intersection, open_pass)]);
        assert_eq!(condition(&format!("{dates}&{flags}")), expected);
        assert_eq!(condition(&format!("{flags}&{dates}")), expected);
    }
    let open = condition("includeOpenTasks=true&withDateIntersection=true");
    assert_eq!(open, Condition::All(vec![]), "flags alone filter nothing");
}

#[test]
fn flags_accept_only_true_and_false() {
    for name in ["withDateIntersection", "includeOpenTasks"] {
        for value in ["1", "eq:true", "TRUE", "in:true"] {
            let expected = ("data.type.invalid", name.to_owned(), "BOOLEAN".to_owned());
            assert_eq!(fault(&format!("{name}={value}")), expected, "{value}");
        }
    }
}
