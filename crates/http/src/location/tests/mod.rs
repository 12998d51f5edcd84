//! Locations over HTTP.

mod records;

use std::sync::{Arc, Mutex, PoisonError};

use actix_web::http::Method;
use futures_util::stream;
use patrol_domain::{
    StoreError,
    list::{Condition, Direction, Membership, Page, Part, Sort, Test},
    location::{Location, LocationFilter, LocationQuery, LocationSort, Position},
    shared::drafted::MockRecords,
};
use serde_json::json;

use crate::tests::{Ports, TestAnswer, TestServer, code, detail, id, request};

type Queries = Arc<Mutex<Vec<LocationQuery>>>;

/// A test server with two locations.
pub(crate) fn server() -> TestServer {
    server_that_records(Queries::default())
}

fn server_that_records(asked: Queries) -> TestServer {
    let mut locations = MockRecords::new();
    locations.expect_list().returning(move |query| {
        asked.lock().unwrap_or_else(PoisonError::into_inner).push(query);
        let rows = vec![harbour(), bare()];
        Box::pin(stream::iter([Ok(Part::Rows(rows)), Ok(Part::Total(12))]))
    });
    TestServer::new(Ports { locations, ..Ports::default() })
}

fn harbour() -> Location {
    Location {
        address: "1 Quay Rd".to_owned(),
        position: Some(Position { latitude: 59.93, longitude: -30.0 }),
        tags: vec!["port".to_owned(), "north".to_owned()],
        graphic_plan_ids: vec![id(0x701), id(0x703)],
        ..Location::new(id(0x001), "Порт, склад 3")
    }
}

fn bare() -> Location {
    Location::new(id(0x002), "Depot")
}

async fn send(query: &str) -> TestAnswer {
    server().send(request(&format!("GET /locations{query}"), "")).await
}

/// The query that the store gets.
async fn query_of(query: &str) -> LocationQuery {
    let asked = Queries::default();
    let server = server_that_records(Arc::clone(&asked));
    assert_eq!(server.send(request(&format!("GET /locations{query}"), "")).await.status, 200);
    asked.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap()
}

#[actix_web::test]
async fn the_filter_is_inside_meta() {
    let answer = send("?limit=2&name=%D0%BF%D0%BE&withGraphicPlan=true&q=x&offset=1").await;
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
    let expected = "{\"data\":[{\"id\":\"0190a000-0000-7000-8000-000000000001\",\
        \"name\":\"Порт, склад 3\",\"address\":\"1 Quay Rd\",\"latitude\":59.93,\
        \"longitude\":-30,\"tags\":[\"port\",\"north\"],\"graphicPlanIds\":[\
        \"0190a000-0000-7000-8000-000000000701\",\"0190a000-0000-7000-8000-000000000703\"]},\
        {\"id\":\"0190a000-0000-7000-8000-000000000002\",\"name\":\"Depot\",\"address\":\"\",\
        \"latitude\":null,\"longitude\":null,\"tags\":[],\"graphicPlanIds\":[]}],\
        \"meta\":{\"offset\":1,\"limit\":2,\"count\":12,\
        \"sort\":[{\"property\":\"id\",\"direction\":\"asc\"}],\
        \"filter\":[{\"property\":\"name\",\"value\":\"по\"},\
        {\"property\":\"withGraphicPlan\",\"value\":\"true\"}]}}";
    assert_eq!(String::from_utf8(answer.body).unwrap(), expected);
}

#[actix_web::test]
async fn without_filters_the_list_of_filters_is_empty() {
    let answer = send("?name=&tags=").await;
    let expected = json!({"offset": 0, "limit": 2_147_483_647, "count": 12,
        "sort": [{"property": "id", "direction": "asc"}], "filter": []});
    assert_eq!(answer.json()["meta"], expected);
    assert_eq!(answer.json().get("filter"), None);
    let asked = query_of("").await;
    assert_eq!((asked.page, asked.sort, asked.search), (Page::default(), vec![], None));
    assert_eq!(asked.condition, Condition::All(vec![]));
}

#[actix_web::test]
async fn every_filter_reaches_the_store_and_may_be_repeated() {
    let (name, address) = (LocationFilter::Name, LocationFilter::Address);
    let (plan, tags) = (LocationFilter::WithGraphicPlan, LocationFilter::Tags);
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    for (query, expected) in [
        ("name=PORT", vec![(name, Test::Contains("port".to_owned()))]),
        ("name=eq:a,B", vec![(name, Test::Text(Membership::Any, texts(&["a,b"])))]),
        ("address=nin:a,B", vec![(address, Test::Text(Membership::None, texts(&["a", "b"])))]),
        ("withGraphicPlan=true", vec![(plan, Test::Flag(true))]),
        ("withGraphicPlan=ne:true", vec![(plan, Test::Flag(false))]),
        ("tags=a,B", vec![(tags, Test::Tags(Membership::Any, texts(&["a", "B"])))]),
        (
            "tags=a&tags=ne:b",
            vec![
                (tags, Test::Tags(Membership::Any, texts(&["a"]))),
                (tags, Test::Tags(Membership::None, texts(&["b"]))),
            ],
        ),
    ] {
        let all = expected.into_iter().map(|(filter, test)| Condition::Is(filter, test));
        let expected = Condition::All(all.collect());
        assert_eq!(query_of(&format!("?{query}")).await.condition, expected, "{query}");
    }
}

#[actix_web::test]
async fn every_scalar_field_is_sortable_and_a_search_is_folded() {
    for (name, property) in [
        ("id", LocationSort::Id),
        ("name", LocationSort::Name),
        ("address", LocationSort::Address),
        ("latitude", LocationSort::Latitude),
        ("longitude", LocationSort::Longitude),
    ] {
        let asked = query_of(&format!("?sort={name},desc&q=QUAY")).await;
        assert_eq!(asked.sort, [Sort { property, direction: Direction::Descending }], "{name}");
        assert_eq!(asked.search.as_deref(), Some("quay"));
    }
    let answer = send("?sort=name&sort=id,desc").await;
    let expected = json!([{"property": "name", "direction": "asc"},
        {"property": "id", "direction": "desc"}]);
    assert_eq!(answer.json()["meta"]["sort"], expected);
}

#[actix_web::test]
async fn invalid_parameters_are_invalid_input() {
    let query = "?withGraphicPlan=yes&name=in:&tags=like:a&address=gt:a&sort=tags&offset=-1&q=%00";
    let answer = send(query).await;
    assert_eq!(answer.code(), code(400, "input.data.invalid"));
    assert_eq!(
        answer.details(),
        [
            detail("data.type.invalid", "withGraphicPlan", "BOOLEAN"),
            detail("validation.notnull.failed", "name", ""),
            detail("validation.enum.failed", "tags", "eq,ne,in,nin"),
            detail("validation.enum.failed", "address", "eq,ne,in,nin,like"),
            detail("validation.enum.failed", "sort", "id,name,address,latitude,longitude"),
            detail("validation.range.failed", "offset", "0,9223372036854775807"),
            detail("validation.characters.failed", "q", ""),
        ]
    );
    // Filters of other lists are unknown here and ignored.
    assert_eq!(send("?id=x&state=x&includeOpenTasks=x").await.status, 200);
}

#[actix_web::test]
async fn every_role_reads_locations_and_other_methods_are_not_allowed() {
    for role in ["employee", "manager", "admin"] {
        let request = request("GET /locations", "").insert_header(("authorization", role));
        assert_eq!(server().send(request).await.status, 200, "{role}");
    }
    for method in ["PUT", "PATCH", "DELETE", "OPTIONS"] {
        let answer = server().send(request(&format!("{method} /locations"), "{}")).await;
        assert_eq!(answer.code(), code(405, "method.not.allowed"), "{method}");
        assert_eq!(answer.header("allow"), Some("GET, HEAD, POST"), "{method}");
    }
    for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
        let request = request(&format!("{method} /locations/graphic-plans"), "{}");
        let answer = server().send(request).await;
        assert_eq!(answer.code(), code(405, "method.not.allowed"), "{method}");
        assert_eq!(answer.header("allow"), Some(""), "{method}");
    }
    let head = server().send(request("GET /locations", "").method(Method::HEAD)).await;
    assert_eq!((head.status, head.body.as_slice()), (200, b"".as_slice()));
}

#[actix_web::test]
async fn an_unavailable_store_is_503() {
    let mut locations = MockRecords::new();
    let unavailable = || StoreError::Unavailable("secret-address".to_owned());
    locations.expect_list().returning(move |_| Box::pin(stream::iter([Err(unavailable())])));
    let server = TestServer::new(Ports { locations, ..Ports::default() });
    let answer = server.send(request("GET /locations", "")).await;
    assert_eq!(answer.code(), code(503, "service.unavailable"));
    assert_eq!(answer.header("retry-after"), Some("1"));
}
