//! Reads a request body. Size, time and memory are limited before anything is parsed.

use std::{future::poll_fn, task::Poll, time::Duration};

use actix_web::{
    dev::Payload,
    error::PayloadError,
    http::header::{CONTENT_LENGTH, HeaderMap},
};
use bytes::Bytes;
use futures_util::{FutureExt, StreamExt};
use memmap2::MmapMut;
use patrol_application::MAX_UPLOAD_MILLIS;
use tokio::time::Instant;

use crate::{
    budget::{self, Share},
    connection::Activity,
    error::{Code, Problem},
};

/// The limits of a body.
#[derive(Clone, Copy)]
pub(crate) struct BodyBounds {
    /// The maximum size in bytes.
    pub(crate) limit: usize,
    /// How long the whole body may take to arrive.
    pub(crate) timeout: Duration,
    /// The bytes of memory that the request needs for each byte of its body, the body included.
    pub(crate) memory_factor: usize,
}

/// The Content-Length of a request.
pub(crate) fn content_length(headers: &HeaderMap) -> Option<usize> {
    let length: u64 = headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()?;
    Some(usize::try_from(length).unwrap_or(usize::MAX))
}

/// The pieces of a body, as they arrive.
pub(crate) struct Pieces<'a> {
    payload: &'a mut Payload,
    activity: Option<&'a Activity>,
    limit: usize,
    arrived: usize,
}

impl<'a> Pieces<'a> {
    /// Begins to read a body of at most `limit` bytes.
    ///
    /// # Errors
    /// `payload.too.large` when the Content-Length is larger.
    pub(crate) fn begin(
        payload: &'a mut Payload,
        headers: &HeaderMap,
        limit: usize,
        activity: Option<&'a Activity>,
    ) -> Result<Self, Box<Problem>> {
        if content_length(headers).is_some_and(|length| length > limit) {
            return Err(too_large());
        }
        if let Some(activity) = activity {
            activity.expect_body();
        }
        Ok(Self { payload, activity, limit, arrived: 0 })
    }

    /// The next piece; `None` after the last one.
    ///
    /// # Errors
    /// `payload.too.large` for a larger body; `input.data.invalid` for a body that is incomplete or has
    /// too much chunk overhead.
    async fn next(&mut self) -> Result<Option<Bytes>, Box<Problem>> {
        let Self { payload, activity, limit, arrived } = self;
        let piece = poll_fn(|context| match activity {
            Some(activity) if activity.has_excess_overhead() => {
                Poll::Ready(Some(Err(PayloadError::Incomplete(None))))
            }
            _ => {
                let piece = payload.poll_next_unpin(context);
                if let Some(activity) = activity {
                    activity.await_body(piece.is_pending());
                }
                piece
            }
        });
        let Some(piece) = piece.await.transpose().map_err(broken)? else { return Ok(None) };
        if let Some(activity) = activity {
            activity.count_body(piece.len());
        }
        *arrived = arrived.saturating_add(piece.len());
        if arrived > limit { Err(too_large()) } else { Ok(Some(piece)) }
    }
}

/// The pieces of a long body. Its time grows with what has arrived, so that a slow network is no fault
/// and a client that sends almost nothing does not stay.
pub(crate) struct LongBody<'a> {
    pieces: Pieces<'a>,
    started: Instant,
    timeout: Duration,
    /// The memory of the connection.
    _memory: Share,
}

/// The bytes a second that a long body needs after its first `timeout`.
const SLOWEST: usize = 16 << 10;

impl<'a> LongBody<'a> {
    /// Begins to read a body.
    ///
    /// # Errors
    /// Those of [`Pieces::begin`]; `service.unavailable` when there is no memory for the connection.
    pub(crate) fn begin(
        pieces: Pieces<'a>,
        timeout: Duration,
        mut memory: Share,
    ) -> Result<Self, Box<Problem>> {
        memory.raise_for_part(0)?;
        Ok(Self { pieces, started: Instant::now(), timeout, _memory: memory })
    }

    /// The next piece; `None` after the last one.
    ///
    /// # Errors
    /// Those of [`Pieces::next`]; `input.data.invalid` when the body is too slow.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, Box<Problem>> {
        let earned = u64::try_from(self.pieces.arrived / SLOWEST).unwrap_or(u64::MAX);
        let longest = u64::try_from(MAX_UPLOAD_MILLIS).unwrap_or(u64::MAX);
        let time = self.timeout.saturating_add(Duration::from_secs(earned));
        let end = self.started + time.min(Duration::from_millis(longest));
        tokio::time::timeout_at(end, self.pieces.next()).await.unwrap_or_else(|_| Err(incomplete()))
    }
}

/// Reads the whole body, and raises `share` as the body arrives.
///
/// # Errors
/// Those of [`Pieces::next`]; `input.data.invalid` for a body that is late; `service.unavailable` when
/// there is no memory for the body.
pub(crate) async fn read(
    payload: &mut Payload,
    headers: &HeaderMap,
    bounds: BodyBounds,
    share: &mut Share,
    activity: Option<&Activity>,
) -> Result<Bytes, Box<Problem>> {
    let BodyBounds { limit, timeout, memory_factor } = bounds;
    let pieces = Pieces::begin(payload, headers, limit, activity)?;
    let collected = collect(pieces, content_length(headers), share);
    let body = match tokio::time::timeout(timeout, collected).await {
        Ok(body) => body?,
        Err(_) => return Err(incomplete()),
    };
    share.raise_for_complete(body.len(), memory_factor)?;
    Ok(body)
}

async fn collect(
    mut pieces: Pieces<'_>,
    content_length: Option<usize>,
    share: &mut Share,
) -> Result<Bytes, Box<Problem>> {
    // Most bodies arrive in one piece, which is used without a copy.
    let Some(first) = pieces.next().await? else { return Ok(Bytes::new()) };
    if content_length == Some(first.len()) {
        share.raise(first.len())?;
        return Ok(first);
    }
    let mut arrived = Arrived::expecting(content_length.unwrap_or(pieces.limit))?;
    arrived.append(&first, share)?;
    // A piece keeps the whole receive buffer in memory.
    drop(first);
    while let Some(piece) = pieces.next().await? {
        arrived.append(&piece, share)?;
    }
    Ok(arrived.into_whole())
}

/// The part of a body that has arrived. It has pages of its own instead of a buffer in the heap: a
/// page takes memory from its first byte on, nothing is copied when the body grows, and when the
/// body is freed, the system has all memory back at once.
struct Arrived {
    pages: MmapMut,
    length: usize,
}

impl Arrived {
    /// Reserves addresses for a body of `length` bytes at most, but no memory.
    fn expecting(length: usize) -> Result<Self, Box<Problem>> {
        let pages = MmapMut::map_anon(length).map_err(|error| budget::no_memory(&error))?;
        Ok(Self { pages, length: 0 })
    }

    /// Appends a piece. The share is raised before the memory is taken.
    fn append(&mut self, piece: &[u8], share: &mut Share) -> Result<(), Box<Problem>> {
        let length = self.length.saturating_add(piece.len());
        let place = self.pages.get_mut(self.length..length).ok_or_else(incomplete)?;
        share.raise_for_part(length)?;
        place.copy_from_slice(piece);
        self.length = length;
        Ok(())
    }

    fn into_whole(self) -> Bytes {
        Bytes::from_owner(self.pages).slice(..self.length)
    }
}

/// Reads and discards what has arrived so far, without waiting. Returns whether the body is complete.
pub(crate) fn discard_arrived(payload: &mut Payload) -> bool {
    if matches!(payload, Payload::None) {
        return true;
    }
    while let Some(piece) = payload.next().now_or_never() {
        match piece {
            Some(Ok(_)) => {}
            Some(Err(_)) => return false,
            None => return true,
        }
    }
    false
}

fn too_large() -> Box<Problem> {
    Box::new(Problem { close: true, ..Problem::new(Code::PayloadTooLarge) })
}

fn broken(error: PayloadError) -> Box<Problem> {
    match error {
        PayloadError::Overflow => too_large(),
        _ => incomplete(),
    }
}

fn incomplete() -> Box<Problem> {
    Box::new(Problem { close: true, ..Problem::new(Code::InputInvalid) })
}

#[cfg(test)]
mod tests {
    use actix_http::BoxedPayloadStream;
    use actix_web::http::header::HeaderValue;
    use futures_util::stream;

    use super::*;
    use crate::budget::{CONNECTION, MemoryBudget};

    const BOUNDS: BodyBounds =
        BodyBounds { limit: 4, timeout: Duration::from_millis(50), memory_factor: 1 };

    fn payload(pieces: Vec<Result<&'static [u8], PayloadError>>) -> Payload {
        let pieces = pieces.into_iter().map(|piece| piece.map(Bytes::from_static));
        let stream = stream::iter(pieces.collect::<Vec<_>>());
        Payload::Stream { payload: Box::pin(stream) }
    }

    async fn read_all(
        mut payload: Payload,
        content_length: Option<&'static str>,
    ) -> Result<Bytes, Box<Problem>> {
        let mut headers = HeaderMap::new();
        if let Some(length) = content_length {
            headers.insert(CONTENT_LENGTH, HeaderValue::from_static(length));
        }
        let budget = MemoryBudget::new(1 << 20);
        read(&mut payload, &headers, BOUNDS, &mut budget.share(None, None), None).await
    }

    #[tokio::test]
    async fn a_body_within_the_limit_is_read_in_any_number_of_pieces() {
        assert_eq!(read_all(payload(vec![]), None).await.unwrap(), "");
        assert_eq!(read_all(payload(vec![Ok(b"1234")]), Some("4")).await.unwrap(), "1234");
        let pieces = vec![Ok(b"1".as_slice()), Ok(b"23"), Ok(b""), Ok(b"4")];
        assert_eq!(read_all(payload(pieces), None).await.unwrap(), "1234");
    }

    #[tokio::test]
    async fn a_larger_body_is_refused_by_its_size_and_by_its_content_length() {
        for (pieces, content_length) in [
            (vec![Ok(b"12345".as_slice())], None),
            (vec![Ok(b"1234".as_slice()), Ok(b"5")], None),
            (vec![Ok(b"12345".as_slice())], Some("4")),
            (vec![], Some("5")),
            (vec![], Some("18446744073709551615")),
        ] {
            let problem = read_all(payload(pieces), content_length).await.unwrap_err();
            assert_eq!(problem.code, Code::PayloadTooLarge);
            assert!(problem.close);
        }
    }

    #[tokio::test]
    async fn an_incomplete_body_is_invalid() {
        let pieces = vec![Ok(b"1".as_slice()), Err(PayloadError::Incomplete(None))];
        let problem = read_all(payload(pieces), None).await.unwrap_err();
        assert_eq!((problem.code, problem.close), (Code::InputInvalid, true));
    }

    #[tokio::test]
    async fn a_body_that_does_not_arrive_in_time_is_invalid() {
        let payload: BoxedPayloadStream = Box::pin(stream::pending());
        let problem = read_all(Payload::Stream { payload }, None).await.unwrap_err();
        assert_eq!((problem.code, problem.close), (Code::InputInvalid, true));
    }

    #[tokio::test]
    async fn a_body_without_memory_in_the_budget_is_refused() {
        const KIB: usize = 1024;
        let budget = MemoryBudget::new(760 * KIB);
        let piece: &'static [u8] = vec![b' '; 70 * KIB].leak();
        let bounds = BodyBounds { limit: 100 * KIB, memory_factor: 4, ..BOUNDS };
        let headers = HeaderMap::new();
        let mut held = [budget.share(None, None), budget.share(None, None)];
        for share in &mut held {
            let read = read(&mut payload(vec![Ok(piece)]), &headers, bounds, share, None).await;
            assert_eq!(read.unwrap().len(), piece.len());
        }
        assert_eq!(budget.taken(), 560 * KIB);
        // It fits while it arrives.
        let mut other = budget.share(None, None);
        let third = read(&mut payload(vec![Ok(piece)]), &headers, bounds, &mut other, None).await;
        assert_eq!(third.unwrap_err().code, Code::Unavailable);
        drop((held, other));
        assert_eq!(budget.taken(), 0);
    }

    #[tokio::test]
    async fn a_body_that_arrives_in_pieces_counts_with_its_connection() {
        let budget = MemoryBudget::new(1 << 20);
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_LENGTH, HeaderValue::from_static("100000"));
        let pieces = (0..10).map(|_| Ok([b' '; 10_000].as_slice())).collect();
        let bounds = BodyBounds { limit: 200_000, ..BOUNDS };
        let mut share = budget.share(None, Some(100_000));
        let read = read(&mut payload(pieces), &headers, bounds, &mut share, None).await;
        assert_eq!((read.unwrap().len(), budget.taken()), (100_000, 100_000 + CONNECTION));
    }

    #[tokio::test]
    async fn the_capacity_for_a_small_body_of_unknown_length_does_not_make_it_large() {
        const KIB: usize = 1024;
        let budget = MemoryBudget::new(16 << 20);
        let mut large = budget.share(None, None);
        large.raise(15 << 20).unwrap();
        let bounds = BodyBounds { limit: 200 * KIB, ..BOUNDS };
        for (length, is_read) in [(40, true), (63, true), (65, false)] {
            let pieces = (0..length).map(|_| Ok([b' '; KIB].as_slice())).collect();
            let mut share = budget.share(None, None);
            let headers = HeaderMap::new();
            let read = read(&mut payload(pieces), &headers, bounds, &mut share, None).await;
            assert_eq!(read.is_ok(), is_read, "{length}");
        }
    }

    #[tokio::test]
    async fn a_long_body_has_more_time_the_more_of_it_has_arrived() {
        let piece: &'static [u8] = vec![b' '; SLOWEST].leak();
        for (pieces, earned) in [(vec![], 0), (vec![Ok(Bytes::from_static(piece))], 1)] {
            let count = pieces.len();
            let stream: BoxedPayloadStream =
                Box::pin(stream::iter(pieces).chain(stream::pending()));
            let mut payload = Payload::Stream { payload: stream };
            let pieces = Pieces::begin(&mut payload, &HeaderMap::new(), 1 << 20, None).unwrap();
            let (timeout, budget) = (BOUNDS.timeout, MemoryBudget::new(1 << 20));
            let mut body = LongBody::begin(pieces, timeout, budget.share(None, None)).unwrap();
            let started = Instant::now();
            for _ in 0..count {
                assert_eq!(body.next().await.unwrap().unwrap(), piece);
            }
            let problem = body.next().await.unwrap_err();
            assert_eq!((problem.code, problem.close), (Code::InputInvalid, true));
            let least = timeout + Duration::from_secs(earned);
            assert!(started.elapsed() >= least, "{earned}");
            assert!(started.elapsed() < least + Duration::from_secs(20), "{earned}");
        }
    }

    #[tokio::test]
    async fn has_arrived_does_not_wait() {
        assert!(discard_arrived(&mut Payload::None));
        assert!(discard_arrived(&mut payload(vec![Ok(b"1")])));
        let payload: BoxedPayloadStream = Box::pin(stream::pending());
        assert!(!discard_arrived(&mut Payload::Stream { payload }));
    }
}
