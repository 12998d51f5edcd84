//! The answer to a list: sized when it is short, streamed when it is long.

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

/// How much of a list is held back before it is sent. Until then a failure of the store is still
/// answered with its proper status.
const HELD: usize = 64 * 1024;

/// Answers 200 with the list that the query string asks for; `list` asks the use case for it. A long
/// list waits for its turn among those of its user.
///
/// # Errors
/// When the query string is not understood, when the user reads too many long lists, and when the
/// store fails before the answer has begun.
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

/// Answers 200 with a list. It gives its turn back when it has been sent or is no longer wanted.
///
/// # Errors
/// When the store fails before the answer has begun.
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
