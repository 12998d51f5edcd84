//! Values that the response repeats, and reported faults.

use super::*;

#[test]
fn the_response_repeats_filters_and_flags_as_sent() {
    let query = format!(
        "includeOpenTasks=false&limit=5&name=%D0%9F+x&sort=name&startAt=gt:{TIME}&q=z&tags=in:a,b\
         &offset=2&state=PENDING&withDateIntersection=true&tags=c&unknown=1&userId={}",
        A.to_uppercase()
    );
    let expected = [
        ("includeOpenTasks", "false".to_owned()),
        ("name", "П x".to_owned()),
        ("startAt", format!("gt:{TIME}")),
        ("tags", "in:a,b".to_owned()),
        ("state", "PENDING".to_owned()),
        ("withDateIntersection", "true".to_owned()),
        ("tags", "c".to_owned()),
        ("userId", A.to_uppercase()),
    ];
    assert_eq!(parsed(&query).echo.filter, expected);
}

#[test]
fn an_empty_value_is_neither_applied_nor_repeated() {
    for name in [
        "name",
        "tags",
        "userId",
        "locationId",
        "pointId",
        "state",
        "status",
        "priority",
        "published",
        "startAt",
        "endAt",
        "withDateIntersection",
        "includeOpenTasks",
    ] {
        for query in [format!("{name}="), name.to_owned()] {
            let asked = parsed(&query);
            assert_eq!(asked.query.condition, Condition::All(vec![]), "{query}");
            assert_eq!(asked.echo.filter, [], "{query}");
        }
    }
}

#[test]
fn unknown_parameters_are_ignored() {
    for query in ["x=1", "x=%FF", "%FF=1", "Limit=abc", "state%20=x", "&&=&==", "%00=%00", "ids=x"]
    {
        assert_eq!(parsed(query).query.condition, Condition::All(vec![]), "{query}");
    }
}

#[test]
fn a_value_that_is_not_utf_8_is_a_type_fault() {
    for name in ["limit", "offset", "sort", "q", "name", "tags", "state", "includeOpenTasks"] {
        let expected = ("data.type.invalid", name.to_owned(), "STRING".to_owned());
        assert_eq!(fault(&format!("{name}=a%FF")), expected, "{name}");
    }
}

#[test]
fn u_0000_is_a_fault_in_every_text() {
    for query in ["q=%00", "name=a%00", "name=in:a,%00", "tags=%00", "tags=ne:a%00b"] {
        let name = query.split_once('=').unwrap().0.to_owned();
        assert_eq!(fault(query), ("validation.characters.failed", name, String::new()), "{query}");
    }
}

#[test]
fn all_faults_are_reported_in_the_order_of_the_query_string() {
    let found = faults("tags=in:&limit=abc&name=ok&state=x&limit=1&sort=zz&q=%00");
    let names: Vec<_> = found.iter().map(|(code, name, _)| (*code, name.as_str())).collect();
    assert_eq!(
        names,
        [
            ("validation.notnull.failed", "tags"),
            ("data.type.invalid", "limit"),
            ("validation.enum.failed", "state"),
            ("validation.unique.failed", "limit"),
            ("validation.enum.failed", "sort"),
            ("validation.characters.failed", "q"),
        ]
    );
}
