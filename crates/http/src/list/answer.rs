//! The response to a list: with a length when it is short, streamed when it is long.

use std::future::poll_fn;

use actix_web::{
    HttpResponse,
    http::header::{CONTENT_TYPE, HeaderValue},
};
use patrol_domain::{
    StoreError, Timestamp,
    list::{Listing, Query},
};

use super::{
    declaration::Declared,
    endpoint::List,
    parse::{Asked, Echo, read},
    stream::Transfer,
};
use crate::{
    error::ApiError,
    route::{Answer, Call, Endpoint},
    user_limit::UserPermit,
};

/// How many bytes of a list are held back before it is sent. Until then a failure of the store
/// still gets its proper status.
const HELD: usize = 64 * 1024;

/// Answers 200 with the list of this query string; `list` calls the use case. A page that is too
/// large for the store's memory bound is read as a long list.
///
/// # Errors
/// When the query string is invalid, when the user reads too many long lists, and when the store
/// fails before the response has started.
pub(crate) async fn answer<E: Endpoint, L: Declared + 'static>(
    call: &Call<List<E, L>>,
    list: impl Fn(Query<L>, L::Options) -> Result<Listing<L::Item>, ApiError>,
) -> Answer {
    let now = call.now();
    let asked = read::<L>(call.query(), now)?;
    if !asked.query.is_long() {
        let Asked { query, options, echo } = asked;
        match send::<L>(list(query, options)?, echo, now, None).await {
            Err(StoreError::PageTooLarge) => {}
            answered => return Ok(answered?),
        }
    }
    let permit = call.begin_long_list().await?;
    let Asked { query, options, echo } = read::<L>(call.query(), now)?;
    let listing = list(Query { in_parts: true, ..query }, options)?;
    Ok(send::<L>(listing, echo, now, Some(permit)).await?)
}

/// Answers 200 with a list. Releases the `permit` when the list was sent or is cancelled.
///
/// # Errors
/// When the store fails before the response has started.
pub(super) async fn send<L: Declared>(
    listing: Listing<L::Item>,
    echo: Echo,
    now: Timestamp,
    permit: Option<UserPermit>,
) -> Result<HttpResponse, StoreError> {
    let mut transfer = Transfer::<L>::new(listing, echo, now, HELD, permit);
    while !transfer.is_complete() && transfer.held() < HELD {
        poll_fn(|context| transfer.poll_part(context)).await?;
    }
    let mut response = HttpResponse::Ok();
    response.insert_header((CONTENT_TYPE, HeaderValue::from_static("application/json")));
    Ok(if transfer.is_complete() {
        response.body(transfer.finish())
    } else {
        response.body(transfer)
    })
}
