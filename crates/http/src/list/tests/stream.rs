//! How lists are written and sent.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};

use actix_web::{
    HttpResponse,
    body::{BodySize, MessageBody},
};
use futures_util::{FutureExt, StreamExt, stream, task::noop_waker};
use patrol_application::Failure;
use patrol_domain::{
    StoreError, Timestamp,
    access::TokenFilter,
    list::{Direction, Listed, Listing, Page, Part},
    task_execution::{ExecutionList, Punctuality},
};
use serde_json::Value;

use crate::{
    error::{ApiError, Language},
    list::{
        Filter, FilterPlace, ListDeclaration, RowContext, answer::send, document::Form, parse::Echo,
    },
    task_execution::tests::fixture::completed,
};

type Parts = Vec<Result<Part<String>, StoreError>>;

/// Declares a list of texts with this place of the filters.
macro_rules! texts {
    ($name:ident, $place:expr) => {
        struct $name;

        impl Listed for $name {
            type Filter = TokenFilter;
            type Sort = std::convert::Infallible;
            type Item = String;

            fn bytes(item: &String) -> usize {
                item.len()
            }
        }

        impl ListDeclaration for $name {
            type Options = ();
            type Row<'a> = &'a str;

            const FILTERS: &'static [Filter<TokenFilter>] = &[];
            const NAME: &'static str = stringify!($name);
            const SORT_EXAMPLE: &'static str = "";
            const FILTER_PLACE: FilterPlace = $place;

            fn row(item: &String, _: RowContext) -> &str {
                item
            }
        }
    };
}

texts!(Texts, FilterPlace::Top);
texts!(FilteredInMeta, FilterPlace::Meta);
texts!(FilteredInSilence, FilterPlace::Absent);

fn echo() -> Echo {
    Echo {
        page: Page { limit: 10, offset: 2 },
        sort: vec![("name", Direction::Descending), ("id", Direction::Ascending)],
        filter: vec![("name", "eq:\"Порт\"".to_owned())],
    }
}

fn listing(parts: Parts) -> Listing<String> {
    Box::pin(stream::iter(parts))
}

fn answered(listing: Listing<String>) -> Result<HttpResponse, ApiError> {
    answered_by::<Texts>(listing)
}

fn answered_by<L: ListDeclaration + Listed<Item = String>>(
    listing: Listing<String>,
) -> Result<HttpResponse, ApiError> {
    let now = Timestamp::from_millis(0).unwrap();
    let moment = Punctuality::default().at(now);
    let context = RowContext { moment, language: Language::English };
    Ok(send::<L>(listing, Form::Json, echo(), context, None).now_or_never().unwrap()?)
}

/// All chunks of a body, and whether it ended properly.
fn sent(response: HttpResponse) -> (Vec<Vec<u8>>, bool) {
    let mut body = Box::pin(response.into_body());
    let waker = noop_waker();
    let mut chunks = Vec::new();
    loop {
        match body.as_mut().poll_next(&mut Context::from_waker(&waker)) {
            Poll::Ready(Some(Ok(chunk))) => chunks.push(chunk.to_vec()),
            Poll::Ready(Some(Err(_))) => return (chunks, false),
            Poll::Ready(None) => return (chunks, true),
            Poll::Pending => panic!("nothing comes"),
        }
    }
}

fn text(response: HttpResponse) -> String {
    let (chunks, whole) = sent(response);
    assert!(whole);
    String::from_utf8(chunks.concat()).unwrap()
}

fn rows(items: &[&str]) -> Result<Part<String>, StoreError> {
    Ok(Part::Rows(items.iter().map(|item| (*item).to_owned()).collect()))
}

/// Rows that nearly fill the held-back buffer.
fn many() -> Result<Part<String>, StoreError> {
    Ok(Part::Rows(vec!["x".repeat(1000); 40]))
}

fn unavailable() -> StoreError {
    StoreError::Unavailable("gone".to_owned())
}

#[test]
fn members_are_in_order_and_filter_is_where_the_list_declares_it() {
    let parts =
        || listing(vec![rows(&["a", "b"]), rows(&[]), rows(&["\"c\""]), Ok(Part::Total(7))]);
    let meta = "\"offset\":2,\"limit\":10,\"count\":7,\"sort\":[{\"property\":\"name\",\
                \"direction\":\"desc\"},{\"property\":\"id\",\"direction\":\"asc\"}]";
    let filter = "\"filter\":[{\"property\":\"name\",\"value\":\"eq:\\\"Порт\\\"\"}]";
    let data = "\"data\":[\"a\",\"b\",\"\\\"c\\\"\"]";
    assert_eq!(
        text(answered(parts()).unwrap()),
        format!("{{{data},\"meta\":{{{meta}}},{filter}}}")
    );
    assert_eq!(
        text(answered_by::<FilteredInMeta>(parts()).unwrap()),
        format!("{{{data},\"meta\":{{{meta},{filter}}}}}")
    );
    assert_eq!(
        text(answered_by::<FilteredInSilence>(parts()).unwrap()),
        format!("{{{data},\"meta\":{{{meta}}}}}")
    );
}

#[test]
fn a_short_list_has_a_content_length() {
    for parts in [vec![Ok(Part::Total(3))], vec![rows(&["a"]), many(), Ok(Part::Total(41))]] {
        let response = answered(listing(parts)).unwrap();
        let BodySize::Sized(size) = response.body().size() else { panic!("not sized") };
        assert_eq!(response.headers().get("content-type").unwrap(), "application/json");
        assert_eq!(u64::try_from(text(response).len()).unwrap(), size);
    }
}

#[test]
fn the_chunks_of_a_long_list_form_one_document() {
    let mut parts: Parts = (0..10).map(|_| many()).collect();
    parts.push(Ok(Part::Total(1000)));
    let response = answered(listing(parts)).unwrap();
    assert_eq!(response.body().size(), BodySize::Stream);
    let (chunks, whole) = sent(response);
    assert!(whole);
    assert!(chunks.len() > 5, "{}", chunks.len());
    assert!(chunks.iter().all(|chunk| chunk.len() < 128 * 1024));
    let document: Value = serde_json::from_slice(&chunks.concat()).unwrap();
    assert_eq!(document["data"].as_array().unwrap().len(), 400);
    assert_eq!(document["meta"]["count"], 1000);
}

#[test]
fn a_list_as_csv_is_streamed_in_parts_with_one_header() {
    let rows = |count| Ok(Part::Rows(vec![completed().summary(); count]));
    let mut parts: Vec<_> = (0..10).map(|_| rows(200)).collect();
    parts.push(Ok(Part::Total(2_000)));
    let now = Timestamp::from_millis(0).unwrap();
    let moment = Punctuality::default().at(now);
    let context = RowContext { moment, language: Language::English };
    let listing = Box::pin(stream::iter(parts));
    let sending = send::<ExecutionList>(listing, Form::Csv, echo(), context, None);
    let response = sending.now_or_never().unwrap().unwrap();
    assert_eq!(response.headers().get("content-type").unwrap(), "text/csv; charset=utf-8");
    assert_eq!(response.headers().get("vary").unwrap(), "Accept");
    assert_eq!(response.body().size(), BodySize::Stream);
    let (chunks, whole) = sent(response);
    assert!(whole && chunks.len() > 5, "{}", chunks.len());
    let text = String::from_utf8(chunks.concat()).unwrap();
    let lines: Vec<_> = text.split_terminator("\r\n").collect();
    assert_eq!((lines.len(), text.matches("executedStepCount").count()), (2_001, 1));
    assert!(lines[1..].iter().all(|line| *line == lines[1]));
}

#[test]
fn a_large_part_is_sent_in_chunks_before_the_next_is_read() {
    let taken = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&taken);
    let parts = stream::repeat_with(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        rows(&["x".repeat(1024 * 1024).as_str()])
    });
    let response = answered(parts.boxed()).unwrap();
    let mut body = Box::pin(response.into_body());
    let waker = noop_waker();
    for _ in 0..4 {
        let chunk = body.as_mut().poll_next(&mut Context::from_waker(&waker));
        assert!(matches!(chunk, Poll::Ready(Some(Ok(chunk))) if chunk.len() <= 256 * 1024));
        assert_eq!(taken.load(Ordering::Relaxed), 1);
    }
}

#[test]
fn a_failure_before_the_first_byte_is_an_error_response() {
    let answer = |parts: Parts| match answered(listing(parts)) {
        Err(ApiError::Failed(Failure::Store(error))) => error,
        other => panic!("{other:?}"),
    };
    assert_eq!(answer(vec![Err(unavailable())]), unavailable());
    assert_eq!(answer(vec![rows(&["a"]), many(), Err(unavailable())]), unavailable());
    for parts in [vec![], vec![rows(&["a"])]] {
        assert!(matches!(answer(parts), StoreError::Internal(_)), "an end without the total");
    }
}

#[test]
fn a_failure_while_sending_aborts_the_response() {
    for last in [vec![Err(unavailable())], vec![]] {
        let mut parts: Parts = (0..5).map(|_| many()).collect();
        parts.extend(last);
        let (chunks, whole) = sent(answered(listing(parts)).unwrap());
        assert!(!whole);
        assert!(serde_json::from_slice::<Value>(&chunks.concat()).is_err());
    }
}

#[test]
fn the_store_is_read_at_the_pace_of_the_client() {
    let taken = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&taken);
    let parts = stream::repeat_with(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        many()
    });
    let response = answered(parts.boxed()).unwrap();
    let before = taken.load(Ordering::Relaxed);
    assert!(before <= 2, "{before}");
    let mut body = Box::pin(response.into_body());
    let waker = noop_waker();
    for _ in 0..4 {
        let chunk = body.as_mut().poll_next(&mut Context::from_waker(&waker));
        assert!(matches!(chunk, Poll::Ready(Some(Ok(_)))));
    }
    // The first chunk was already buffered.
    assert_eq!(taken.load(Ordering::Relaxed), before + 3);
}

#[test]
fn a_disconnected_client_cancels_the_query() {
    let held = Arc::new(());
    let query = Arc::clone(&held);
    let parts = stream::repeat_with(move || {
        let _query = &query;
        many()
    });
    let response = answered(parts.boxed()).unwrap();
    assert_eq!(Arc::strong_count(&held), 2);
    drop(response);
    assert_eq!(Arc::strong_count(&held), 1);
}
