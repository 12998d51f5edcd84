//! For any request, the response is documented.

use actix_web::{
    http::header::{HeaderName, HeaderValue},
    test::TestRequest,
};
use proptest::{
    collection::vec,
    prelude::*,
    test_runner::{Config, TestRunner},
};

use super::*;
use crate::{
    error::Code,
    tests::{TestAnswer, as_admin},
};

const HEADERS: [&str; 8] = [
    "authorization",
    "accept-language",
    "content-type",
    "content-encoding",
    "if-match",
    "if-none-match",
    "x-request-id",
    "expect",
];

fn is_documented(answer: &TestAnswer) -> bool {
    let known = |code: &str| Code::ALL.iter().any(|known| known.name() == code);
    answer.header("x-request-id").is_some()
        && (answer.status == 200 || (answer.status < 500 && known(&answer.code().1)))
}

/// A runner that prints the seed of a failing case, and tries that seed first the next time.
fn runner() -> TestRunner {
    TestRunner::new(Config::with_source_file(file!()))
}

fn value() -> impl Strategy<Value = Vec<u8>> {
    vec(prop_oneof![Just(b'\t'), 0x20_u8..=0x7e, 0x80_u8..=0xff], 0..60)
}

fn response_to(server: &TestServer, request: TestRequest) -> TestAnswer {
    actix_web::rt::System::new().block_on(server.send(request))
}

#[test]
fn any_header_gets_a_documented_response() {
    let server = server();
    let headers = vec((0..HEADERS.len(), value()), 0..4);
    runner()
        .run(&headers, |headers| {
            let mut request = as_admin(TestRequest::patch().uri(&format!("/v1/things/{ID}")))
                .insert_header(("content-type", "application/json"))
                .set_payload("{\"order\":1}");
            for (name, value) in headers {
                let name = HeaderName::from_static(HEADERS[name]);
                request = request.append_header((name, HeaderValue::from_bytes(&value).unwrap()));
            }
            let answer = response_to(&server, request);
            prop_assert!(is_documented(&answer), "{:?}", answer);
            Ok(())
        })
        .unwrap();
}

#[test]
fn any_body_gets_a_documented_response() {
    let server = server();
    let json = proptest::string::string_regex(
        "[\\[\\]{}\",:0-9eE.+\\-\\\\utrfalsn \u{0}\u{e9}\u{1f600}]{0,40}",
    )
    .unwrap();
    let body = prop_oneof![vec(any::<u8>(), 0..200), json.prop_map(String::into_bytes)];
    runner()
        .run(&body, |body| {
            let request = as_admin(TestRequest::put().uri(&format!("/v1/things/{ID}")))
                .insert_header(("content-type", "application/json"))
                .set_payload(body);
            let answer = response_to(&server, request);
            prop_assert!(is_documented(&answer), "{:?}", answer);
            Ok(())
        })
        .unwrap();
}

#[test]
fn any_path_gets_a_documented_response() {
    let server = server();
    let path = proptest::string::string_regex("[a-z0-9%/,.{}~;:@!$&'()*+=?_-]{0,60}").unwrap();
    runner()
        .run(&path, |path| {
            for path in [format!("/{path}"), format!("/v1/things/{path}")] {
                if path.parse::<actix_web::http::Uri>().is_ok() {
                    let answer = response_to(&server, as_admin(TestRequest::get().uri(&path)));
                    prop_assert!(is_documented(&answer), "{path} {answer:?}");
                }
            }
            Ok(())
        })
        .unwrap();
}
