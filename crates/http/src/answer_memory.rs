//! Memory for responses that wait to be read.

use std::{
    convert::Infallible,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use actix_web::body::{BodySize, BoxBody, MessageBody};
use bytes::Bytes;
use patrol_domain::{Counter, Metric, Monitored, ids::UserId};

use crate::{budget::no_memory, error::Problem, usage::Usage};

/// Responses up to this size are not counted: as much waits in the buffers of any connection.
pub(crate) const SMALL: u64 = 16 << 10;

/// One user may take all memory for responses divided by this.
const USER_DIVISOR: usize = 2;

/// What a list takes that is sent while it is written: the records of its page, and those that are written.
const STREAM: usize = 512 << 10;

/// How much of a response actix gets at once: its buffers are not counted.
const PIECE: usize = 64 << 10;

/// The memory of all responses that are made and not yet read by their clients, in bytes.
pub(crate) struct AnswerMemory {
    bytes: usize,
    taken: Mutex<Usage>,
    /// Responses that were not sent.
    refused: Counter,
}

/// What one response takes; released on drop.
pub(crate) struct Held {
    memory: Arc<AnswerMemory>,
    user: UserId,
    bytes: usize,
}

impl AnswerMemory {
    /// Memory of `bytes`.
    pub(crate) fn new(bytes: usize) -> Arc<Self> {
        Arc::new(Self { bytes, taken: Mutex::default(), refused: Counter::default() })
    }

    /// Counts a response, which is handed over in pieces if it is large, and its memory as held. A response that is larger than all memory is sent
    /// alone. `is_due`: it is sent in any case, because it tells of a change. What nobody in particular gets is
    /// not counted: files of the program, which all connections share, and metrics.
    ///
    /// # Errors
    /// `service.unavailable` when other responses, or those of the user, take all the memory.
    pub(crate) fn hold(
        self: &Arc<Self>,
        body: BoxBody,
        user: Option<UserId>,
        is_due: bool,
    ) -> Result<(BoxBody, Option<Held>), Box<Problem>> {
        let size = body.size();
        let (bytes, body) = match (size, body.try_into_bytes()) {
            (BodySize::Stream, Err(body)) => (STREAM, body),
            (BodySize::Sized(bytes), Ok(body)) if bytes > SMALL => {
                (body.len(), BoxBody::new(Pieces(body)))
            }
            (_, Ok(body)) => return Ok((BoxBody::new(body), None)),
            // A file, of which hardly anything is in memory.
            (_, Err(body)) => return Ok((body, None)),
        };
        let Some(user) = user else { return Ok((body, None)) };
        let held = self.take(bytes, user, is_due).ok_or_else(|| self.refuse())?;
        Ok((body, Some(held)))
    }

    /// Whether the user may be sent another large response: otherwise none is made, and nothing is changed.
    ///
    /// # Errors
    /// `service.unavailable` when the user has not read what takes all of its memory.
    pub(crate) fn has_room(&self, user: UserId) -> Result<(), Box<Problem>> {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner).of(Some(user));
        if taken < self.for_user() { Ok(()) } else { Err(self.refuse()) }
    }

    fn for_user(&self) -> usize {
        self.bytes / USER_DIVISOR
    }

    fn take(self: &Arc<Self>, bytes: usize, user: UserId, is_due: bool) -> Option<Held> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |taken: usize, most| taken == 0 || taken.saturating_add(bytes) <= most;
        let has_room = fits(taken.all(), self.bytes) && fits(taken.of(Some(user)), self.for_user());
        if !(is_due || has_room) {
            return None;
        }
        taken.add(Some(user), bytes);
        drop(taken);
        Some(Held { memory: Arc::clone(self), user, bytes })
    }

    fn refuse(&self) -> Box<Problem> {
        self.refused.increment();
        no_memory(&"large responses that their clients have not read take all the memory for them")
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut taken = self.memory.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.remove(Some(self.user), self.bytes);
    }
}

impl Monitored for AnswerMemory {
    fn metrics(&self) -> Vec<Metric> {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner).all();
        vec![
            Metric::gauge_of(
                "http_answers_memory_bytes",
                "Memory of responses above 16 KiB that their clients have not read; 512 KiB for a list.",
                None,
                taken,
            ),
            Metric::gauge_of(
                "http_answers_memory_limit_bytes",
                "Most memory for such responses (half of PATROL_BODIES).",
                None,
                self.bytes,
            ),
            self.refused.metric(
                "http_answers_refused_total",
                "Requests answered with 503, because there was no memory for their response.",
                None,
            ),
        ]
    }
}

/// A response that is handed over in pieces: what is left stays in one place.
struct Pieces(Bytes);

impl MessageBody for Pieces {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        self.0.size()
    }

    fn poll_next(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Infallible>>> {
        let Self(left) = self.get_mut();
        let piece = left.split_to(left.len().min(PIECE));
        Poll::Ready((!piece.is_empty()).then_some(Ok(piece)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::id;

    const ALL: usize = 1 << 20;
    const SMALL: usize = 16 << 10;

    fn body(bytes: usize) -> BoxBody {
        BoxBody::new(vec![b'x'; bytes])
    }

    fn taken(memory: &AnswerMemory) -> usize {
        memory.taken.lock().unwrap().all()
    }

    #[actix_web::test]
    async fn a_response_arrives_whole_and_is_counted_until_its_end() {
        let memory = AnswerMemory::new(ALL);
        let whole: Vec<_> = (0..=3 * PIECE).map(|n| u8::try_from(n % 251).unwrap()).collect();
        let body = BoxBody::new(whole.clone());
        let (body, held) = memory.hold(body, Some(id(1)), false).unwrap();
        assert_eq!(taken(&memory), 3 * PIECE + 1);
        assert_eq!(body.size(), BodySize::Sized(3 * 65_536 + 1));
        let sent = actix_web::body::to_bytes(body).await.unwrap();
        assert!(sent == whole);
        drop(held);
        assert_eq!(taken(&memory), 0);
    }

    #[test]
    fn a_user_takes_half_and_all_take_the_whole() {
        let memory = AnswerMemory::new(ALL);
        let hold = |user: u32, bytes| memory.hold(body(bytes), Some(id(user)), false);
        let first = hold(1, ALL / 2).unwrap();
        let problem = hold(1, SMALL + 1).map(drop).unwrap_err();
        assert_eq!((problem.code.status().as_u16(), problem.retry_after), (503, Some(1)));
        assert!(memory.has_room(id(1)).is_err() && memory.has_room(id(2)).is_ok());
        assert!(hold(1, SMALL).is_ok(), "small ones are not counted");
        let second = hold(2, ALL / 2).unwrap();
        assert!(hold(3, SMALL + 1).is_err() && memory.has_room(id(3)).is_ok());
        assert!(memory.hold(body(ALL), Some(id(3)), true).is_ok(), "what tells of a change");
        let for_nobody = memory.hold(body(ALL), None, false).unwrap();
        assert_eq!(taken(&memory), ALL);
        drop(for_nobody);
        drop((first, second));
        assert_eq!(taken(&memory), 0);
        assert!(memory.has_room(id(1)).is_ok());
    }

    #[test]
    fn what_is_larger_than_all_memory_is_sent_alone() {
        let memory = AnswerMemory::new(ALL);
        let large = memory.hold(body(2 * ALL), Some(id(1)), false).unwrap();
        assert!(memory.hold(body(SMALL + 1), Some(id(2)), false).is_err());
        drop(large);
        assert!(memory.hold(body(SMALL + 1), Some(id(2)), false).is_ok());
    }
}
