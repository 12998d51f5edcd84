//! The answer to a list: sized when it is short, streamed when it is long.

use std::future::poll_fn;

use actix_web::{
    HttpResponse,
    http::header::{CONTENT_TYPE, HeaderValue},
};
use patrol_domain::{Timestamp, list::Listing};

use super::{declaration::Declared, parse::Echo, stream::Transfer};
use crate::route::Answer;

/// How much of a list is held back before it is sent. Until then a failure of the store is still
/// answered with its proper status.
const HELD: usize = 64 * 1024;

/// Answers 200 with a list.
///
/// # Errors
/// When the store fails before the answer has begun.
pub(crate) async fn answer<L: Declared>(
    listing: Listing<L::Item>,
    echo: Echo,
    now: Timestamp,
) -> Answer {
    let mut transfer = Transfer::<L>::new(listing, echo, now, HELD);
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
