//! The answer with a file, or with a part of it (RFC 9110, section 14).

use std::ops::Range;

use actix_web::{
    HttpRequest, HttpResponse,
    body::SizedStream,
    http::header::{
        self, ACCEPT_RANGES, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_RANGE,
        CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, EntityTag, Header as _, HeaderValue, IF_RANGE,
        RANGE,
    },
};
use bytes::Bytes;
use futures_util::TryStreamExt as _;
use patrol_application::Failure;
use patrol_domain::{
    Named as _,
    media::{MediaBytes, MediaType, Medium},
};
use patrol_record::hex;

use crate::{
    error::{ApiError, Code, HandlerResult, Problem},
    image::{NOTHING_RUNS, PRIVATE, unchanged},
    reply::StreamedBody,
};

/// 200 with the file, 206 with a part of it, or 304 when the client has it already.
///
/// # Errors
/// `range.not.satisfiable`; those of `read`.
pub(super) async fn answer(
    request: &HttpRequest,
    medium: &Medium,
    read: impl AsyncFnOnce(Range<u64>) -> Result<MediaBytes, Failure>,
) -> HandlerResult {
    let tag = EntityTag::new_strong(hex(&medium.sha256));
    if let Some(answer) = unchanged(request, &tag) {
        return Ok(answer);
    }
    let part = part(request, medium.size, &tag)?;
    let (mut answer, range) = match part {
        None => (HttpResponse::Ok(), 0..medium.size),
        Some(part) => {
            let mut answer = HttpResponse::PartialContent();
            let last = part.end.saturating_sub(1);
            let range = format!("bytes {}-{last}/{}", part.start, medium.size);
            answer.insert_header((CONTENT_RANGE, range));
            (answer, part)
        }
    };
    let length = range.end.saturating_sub(range.start);
    let bytes = read(range).await?.map_ok(Bytes::from);
    let name = format!("attachment; filename=\"{}.{}\"", medium.id, medium.kind.extension());
    let mut answer = answer
        .insert_header((CONTENT_TYPE, HeaderValue::from_static(MediaType::name(medium.kind))))
        .insert_header((CONTENT_DISPOSITION, name))
        .insert_header((CONTENT_SECURITY_POLICY, NOTHING_RUNS))
        .insert_header((ACCEPT_RANGES, "bytes"))
        .insert_header((CACHE_CONTROL, PRIVATE))
        .insert_header((ETAG, tag))
        .body(SizedStream::new(length, bytes));
    answer.extensions_mut().insert(StreamedBody);
    Ok(answer)
}

/// The part that the request asks for; `None` for the whole file. A malformed header, several ranges,
/// another unit, or an `If-Range` with another entity tag ask for the whole.
fn part(request: &HttpRequest, size: u64, tag: &EntityTag) -> Result<Option<Range<u64>>, ApiError> {
    if request.headers().contains_key(IF_RANGE) {
        let is_current = match header::IfRange::parse(request) {
            Ok(header::IfRange::EntityTag(known)) => known.strong_eq(tag),
            _ => false,
        };
        if !is_current {
            return Ok(None);
        }
    }
    // The parser takes the first line, and passes over malformed ranges beside others.
    let asked: Vec<_> = request.headers().get_all(RANGE).collect();
    let is_one = matches!(*asked, [one] if !one.as_bytes().contains(&b','));
    let (true, Ok(header::Range::Bytes(ranges))) = (is_one, header::Range::parse(request)) else {
        return Ok(None);
    };
    let [range] = ranges.as_slice() else { return Ok(None) };
    match range.to_satisfiable_range(size) {
        Some((first, last)) => Ok(Some(first..last.saturating_add(1))),
        None => Err(Problem {
            content_range: HeaderValue::try_from(format!("bytes */{size}")).ok(),
            ..Problem::new(Code::RangeNotSatisfiable)
        }
        .into()),
    }
}
