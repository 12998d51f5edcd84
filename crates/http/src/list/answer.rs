//! The response to a list: with a length when it is short, streamed when it is long.

use std::future::poll_fn;

use actix_web::{
    HttpResponse,
    http::header::{CONTENT_TYPE, HeaderValue},
};
use patrol_domain::{
    Timestamp,
    list::{Listing, Query},
};

use super::{
    declaration::Declared,
    parse::{Asked, Echo, read},
    stream::Transfer,
};
use crate::{
    error::ApiError,
    long_lists::LongList,
    route::{Answer, Call},
};

/// How many bytes of a list are held back before it is sent. Until then a failure of the store
/// still gets its proper status.
const HELD: usize = 64 * 1024;

/// Answers 200 with the list of this query string; `list` calls the use case. A long list waits
/// until its user may run another one.
///
/// # Errors
/// When the query string is invalid, when the user reads too many long lists, and when the store
/// fails before the response has started.
pub(crate) async fn answer<L: Declared>(
    call: &Call,
    list: impl FnOnce(Query<L>, L::Options) -> Result<Listing<L::Item>, ApiError>,
) -> Answer {
    let now = call.now();
    let Asked { query, options, echo } = read::<L>(call.query(), now)?;
    let turn = match query.page.is_long() {
        true => Some(call.begin_long_list().await?),
        false => None,
    };
    send::<L>(list(query, options)?, echo, now, turn).await
}

/// Answers 200 with a list. Frees its place when it was sent or is cancelled.
///
/// # Errors
/// When the store fails before the response has started.
pub(super) async fn send<L: Declared>(
    listing: Listing<L::Item>,
    echo: Echo,
    now: Timestamp,
    turn: Option<LongList>,
) -> Answer {
    let mut transfer = Transfer::<L>::new(listing, echo, now, HELD, turn);
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
