//! The response to a list: with a length when it is short, streamed when it is long.

use std::future::poll_fn;

use actix_web::{
    HttpResponse,
    http::header::{CONTENT_TYPE, HeaderValue},
};
use patrol_domain::{
    StoreError,
    list::{Listing, Query},
};

use super::{
    declaration::{ListDeclaration, RowContext},
    endpoint::ListEndpoint,
    parse::{Echo, ParsedQuery, parse_query},
    stream::Transfer,
};
use crate::{
    error::{ApiError, HandlerResult, Language},
    request_limit::RequestPermit,
    route::{Call, Endpoint},
};

/// The number of bytes of a list that are held back before the response starts. Until then a
/// failure of the store still gets an error response.
const HELD_BACK: usize = 64 * 1024;

/// Answers 200 with the list of this query string; `list` calls the use case. A page that is too
/// large for the store's memory bound is read again, in parts and with a permit, like a long list.
///
/// # Errors
/// When the query string is invalid, when the user reads too many long lists, and when the store
/// fails before the response has started.
pub(crate) async fn answer<E: Endpoint, L: ListDeclaration + 'static>(
    call: &Call<ListEndpoint<E, L>>,
    list: impl Fn(Query<L>, L::Options) -> Result<Listing<L::Item>, ApiError>,
) -> HandlerResult {
    let moment = call.moment();
    let context = RowContext { moment, language: Language::of(call.request().headers()) };
    let parsed = parse_query::<L>(call.query(), moment)?;
    if !parsed.query.is_long() {
        let ParsedQuery { query, options, echo } = parsed;
        match send::<L>(list(query, options)?, echo, context, None).await {
            Err(StoreError::PageTooLarge) => {}
            answered => return Ok(answered?),
        }
    }
    let permit = call.begin_long_list().await?;
    // The attempt above may have consumed the parsed query.
    let ParsedQuery { query, options, echo } = parse_query::<L>(call.query(), moment)?;
    let listing = list(Query { in_parts: true, ..query }, options)?;
    Ok(send::<L>(listing, echo, context, Some(permit)).await?)
}

/// Answers 200 with a list. Releases the `permit` when the list is sent or cancelled.
///
/// # Errors
/// When the store fails before the response has started.
pub(super) async fn send<L: ListDeclaration>(
    listing: Listing<L::Item>,
    echo: Echo,
    context: RowContext,
    permit: Option<RequestPermit>,
) -> Result<HttpResponse, StoreError> {
    let mut transfer = Transfer::<L>::new(listing, echo, context, HELD_BACK, permit);
    while !transfer.is_complete() && transfer.buffered() < HELD_BACK {
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
