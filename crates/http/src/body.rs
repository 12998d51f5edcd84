//! Reading a request body: bounded in size and in time, before anything looks into it.

use std::time::Duration;

use actix_web::{
    dev::Payload,
    error::PayloadError,
    http::header::{CONTENT_LENGTH, HeaderMap},
};
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;

use crate::{
    error::{Code, Problem},
    room::Share,
};

/// The whole body, of at most `limit` bytes, when it arrives within `patience`. What has arrived
/// takes its room from `share`, if it has to share one.
///
/// # Errors
/// `payload.too.large` for a larger one; `input.data.invalid` for one that does not arrive whole or
/// in time; `service.unavailable` when there is no room for it. The connection ends then: what
/// follows on it is still the body.
pub(crate) async fn read(
    payload: &mut Payload,
    headers: &HeaderMap,
    limit: usize,
    patience: Duration,
    share: Option<&mut Share<'_>>,
) -> Result<Bytes, Box<Problem>> {
    let announced = headers
        .get(CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.parse::<u64>().ok());
    let limit_announced = u64::try_from(limit).unwrap_or(u64::MAX);
    if announced.is_some_and(|length| length > limit_announced) {
        return Err(too_large());
    }
    match tokio::time::timeout(patience, collect(payload, limit, share)).await {
        Ok(body) => body,
        Err(_) => Err(incomplete()),
    }
}

async fn collect(
    payload: &mut Payload,
    limit: usize,
    mut share: Option<&mut Share<'_>>,
) -> Result<Bytes, Box<Problem>> {
    let mut held = 0_usize;
    let mut next = async || {
        let Some(piece) = payload.next().await.transpose().map_err(broken)? else {
            return Ok(None);
        };
        held = held.saturating_add(piece.len());
        if held > limit {
            return Err(too_large());
        }
        if let Some(share) = &mut share {
            share.take(piece.len())?;
        }
        Ok(Some(piece))
    };
    // Most bodies come in one piece, which is taken as it is.
    let Some(first) = next().await? else { return Ok(Bytes::new()) };
    let Some(second) = next().await? else { return Ok(first) };
    let mut whole = BytesMut::from(first);
    whole.extend_from_slice(&second);
    while let Some(piece) = next().await? {
        whole.extend_from_slice(&piece);
    }
    Ok(whole.freeze())
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
    use crate::room::Room;

    const PATIENCE: Duration = Duration::from_millis(50);

    fn payload(pieces: Vec<Result<&'static [u8], PayloadError>>) -> Payload {
        let pieces = pieces.into_iter().map(|piece| piece.map(Bytes::from_static));
        let stream = stream::iter(pieces.collect::<Vec<_>>());
        Payload::Stream { payload: Box::pin(stream) }
    }

    async fn told(
        mut payload: Payload,
        announced: Option<&'static str>,
    ) -> Result<Bytes, Box<Problem>> {
        let mut headers = HeaderMap::new();
        if let Some(length) = announced {
            headers.insert(CONTENT_LENGTH, HeaderValue::from_static(length));
        }
        read(&mut payload, &headers, 4, PATIENCE, None).await
    }

    #[tokio::test]
    async fn a_body_within_the_limit_is_read_in_any_number_of_pieces() {
        assert_eq!(told(payload(vec![]), None).await.unwrap(), "");
        assert_eq!(told(payload(vec![Ok(b"1234")]), Some("4")).await.unwrap(), "1234");
        let pieces = vec![Ok(b"1".as_slice()), Ok(b"23"), Ok(b""), Ok(b"4")];
        assert_eq!(told(payload(pieces), None).await.unwrap(), "1234");
    }

    #[tokio::test]
    async fn a_larger_one_is_refused_by_what_it_is_and_by_what_it_announces() {
        for (pieces, announced) in [
            (vec![Ok(b"12345".as_slice())], None),
            (vec![Ok(b"1234".as_slice()), Ok(b"5")], None),
            (vec![Ok(b"12345".as_slice())], Some("4")),
            (vec![], Some("5")),
            (vec![], Some("18446744073709551615")),
        ] {
            let problem = told(payload(pieces), announced).await.unwrap_err();
            assert_eq!(problem.code, Code::PayloadTooLarge);
            assert!(problem.close);
        }
    }

    #[tokio::test]
    async fn one_that_breaks_off_is_invalid() {
        let pieces = vec![Ok(b"1".as_slice()), Err(PayloadError::Incomplete(None))];
        let problem = told(payload(pieces), None).await.unwrap_err();
        assert_eq!((problem.code, problem.close), (Code::InputInvalid, true));
    }

    #[tokio::test]
    async fn one_that_does_not_come_is_waited_for_no_longer_than_allowed() {
        let payload: BoxedPayloadStream = Box::pin(stream::pending());
        let problem = told(Payload::Stream { payload }, None).await.unwrap_err();
        assert_eq!((problem.code, problem.close), (Code::InputInvalid, true));
    }

    #[tokio::test]
    async fn one_for_which_there_is_no_room_is_read_no_further() {
        let room = Room::new(5);
        let mut held = room.share();
        let pieces = || payload(vec![Ok(b"12".as_slice()), Ok(b"34")]);
        let headers = HeaderMap::new();
        let first = read(&mut pieces(), &headers, 4, PATIENCE, Some(&mut held)).await;
        assert_eq!(first.unwrap(), "1234");
        let mut other = room.share();
        let second = read(&mut pieces(), &headers, 4, PATIENCE, Some(&mut other)).await;
        assert_eq!(second.unwrap_err().code, Code::Unavailable);
        drop((held, other));
        let third = read(&mut pieces(), &headers, 4, PATIENCE, Some(&mut room.share())).await;
        assert_eq!(third.unwrap(), "1234");
    }
}
