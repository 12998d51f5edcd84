//! The response to a list: with a length when it is short, streamed when it is long.

use std::future::poll_fn;

use actix_web::{
    HttpResponse,
    http::header::{CONTENT_TYPE, HeaderValue, VARY},
};
use patrol_domain::{
    StoreError,
    list::{Listing, Query},
};

use super::{
    declaration::{ListDeclaration, RowContext},
    document::Form,
    parse::{Echo, ParsedQuery, parse_query},
    stream::Transfer,
};
use crate::{
    csv::{CSV, wants_csv},
    error::{ApiError, HandlerResult, Language},
    extract::media::JSON,
    request_limit::RequestPermit,
    route::Call,
};

/// The number of bytes of a list that are held back before the response starts. Until then a
/// failure of the store still gets an error response.
const HELD_BACK: usize = 64 * 1024;

/// Answers 200 with the list of this query string, as CSV if the client wants it and the list has it; `list`
/// calls the use case. A page that is too
/// large for the store's memory bound is read again, in parts and with a permit, like a long list.
///
/// # Errors
/// When the query string is invalid, when the user reads too many long lists, and when the store
/// fails before the response has started.
pub(crate) async fn answer<L: ListDeclaration + 'static>(
    call: &Call,
    list: impl Fn(Query<L>, L::Options) -> Result<Listing<L::Item>, ApiError>,
) -> HandlerResult {
    let moment = call.moment();
    let headers = call.request().headers();
    let context = RowContext { moment, language: Language::of(headers) };
    let form = if L::HAS_CSV && wants_csv(headers) { Form::Csv } else { Form::Json };
    let parsed = parse_query::<L>(call.query(), moment)?;
    if !parsed.query.is_long() {
        let ParsedQuery { query, options, echo } = parsed;
        match send::<L>(list(query, options)?, form, echo, context, None).await {
            Err(StoreError::PageTooLarge) => {}
            answered => return Ok(answered?),
        }
    }
    let permit = call.begin_long_list().await?;
    // The attempt above may have consumed the parsed query.
    let ParsedQuery { query, options, echo } = parse_query::<L>(call.query(), moment)?;
    let listing = list(Query { in_parts: true, ..query }, options)?;
    Ok(send::<L>(listing, form, echo, context, Some(permit)).await?)
}

/// Answers 200 with a list. Releases the `permit` when the list is sent or cancelled.
///
/// # Errors
/// When the store fails before the response has started.
pub(super) async fn send<L: ListDeclaration>(
    listing: Listing<L::Item>,
    form: Form,
    echo: Echo,
    context: RowContext,
    permit: Option<RequestPermit>,
) -> Result<HttpResponse, StoreError> {
    let mut transfer = Transfer::<L>::new(listing, form, echo, context, HELD_BACK, permit)?;
    while !transfer.is_complete() && transfer.buffered() < HELD_BACK {
        poll_fn(|context| transfer.poll_part(context)).await?;
    }
    let mut response = HttpResponse::Ok();
    let kind = match form {
        Form::Json => JSON,
        Form::Csv => CSV,
    };
    response.insert_header((CONTENT_TYPE, HeaderValue::from_static(kind)));
    if L::HAS_CSV {
        response.insert_header((VARY, HeaderValue::from_static("Accept")));
    }
    let mut answer = if transfer.is_complete() {
        response.body(transfer.finish())
    } else {
        response.body(transfer)
    };
    if L::HAS_MESSAGES {
        context.language.mark(answer.headers_mut());
    }
    Ok(answer)
}
