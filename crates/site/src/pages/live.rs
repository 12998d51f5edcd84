//! The stream that tells an open page which rounds have changed, by Server-Sent Events.

use std::time::Duration;

use actix_web::{
    HttpResponse,
    http::header::{CONTENT_TYPE, HeaderName, HeaderValue},
    web::Bytes,
};
use futures_util::{StreamExt as _, stream};
use patrol_domain::ids::Uuid;
use patrol_http::{OpenEnded, PageError};
use serde::Deserialize;
use tokio::sync::broadcast::{Receiver, error::RecvError};

use super::HandlerResult;
use crate::{
    live::{Counted, Message},
    office::record::id_in,
    view,
    visit::SignedIn,
};

/// How long a browser waits before it connects again, in milliseconds.
const RETRY: u32 = 2_000;

/// When a user has too many streams: how long the next one waits.
const FULL_RETRY: Duration = Duration::from_secs(30);

/// Keeps proxies from collecting what is sent.
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// What a stream is about.
#[derive(Deserialize)]
pub(crate) struct Wanted {
    /// The round whose changes are told; those of all without it.
    id: Option<String>,
}

/// A stream while it is sent.
struct Stream {
    receiver: Receiver<Message>,
    signed_in: SignedIn,
    /// The round whose changes are told.
    round: Option<Uuid>,
    has_ended: bool,
    _counted: Counted,
}

/// GET /rounds/live
pub(crate) async fn follow(signed_in: SignedIn) -> HandlerResult {
    let visit = &signed_in.visit;
    let Wanted { id } = visit.parameters()?;
    let round = id.map(|id| id_in(&id)).transpose()?;
    let live = &visit.site.live;
    let counted = live.count(signed_in.session.user.id, round);
    let counted = counted.ok_or_else(|| PageError::throttled(FULL_RETRY))?;
    let receiver = live.subscribe(visit.page.stopping()).await.map_err(PageError::of)?;
    let url = visit.site.settings.public_url.clone();
    let stream = Stream { receiver, signed_in, round, has_ended: false, _counted: counted };
    // The first message tells the page that it misses no change from now on.
    let first = Bytes::from(format!("retry: {RETRY}\nevent: beat\ndata: \n\n"));
    let rest = stream::unfold(stream, |mut stream| async move {
        let message = stream.next().await?;
        Some((message, stream))
    });
    let all = stream::iter([first]).chain(rest);
    let mut answer = HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "text/event-stream"))
        .insert_header((BUFFERING, HeaderValue::from_static("no")))
        .streaming(all.map(Ok::<_, actix_web::Error>));
    answer.extensions_mut().insert(OpenEnded);
    view::finish(&mut answer, &url, &[]);
    Ok(answer)
}

impl Stream {
    /// The next message; `None` at the end.
    async fn next(&mut self) -> Option<Bytes> {
        while !self.has_ended {
            match self.receiver.recv().await {
                Ok(Message::Beat) => {
                    let SignedIn { visit, secret, .. } = &self.signed_in;
                    match visit.site.services.sign_in.session(secret).await {
                        Ok(Some(_)) => return Some(event("beat", "")),
                        Ok(None) => {
                            self.has_ended = true;
                            return Some(event("end", ""));
                        }
                        Err(_) => {}
                    }
                }
                Ok(Message::Changed(Some(ids))) => {
                    let is_told = self.round.is_none_or(|round| ids.contains(&round));
                    if is_told {
                        let ids: Vec<_> = ids.iter().map(ToString::to_string).collect();
                        return Some(event("change", &ids.join(" ")));
                    }
                }
                Ok(Message::ChangedBeside) if self.round.is_none() => {}
                Ok(Message::ChangedBeside | Message::Changed(None)) | Err(RecvError::Lagged(_)) => {
                    return Some(event("change", ""));
                }
                Ok(Message::Stop) | Err(RecvError::Closed) => return None,
            }
        }
        None
    }
}

/// An event of the stream. `data` has no line break.
fn event(name: &str, data: &str) -> Bytes {
    Bytes::from(format!("event: {name}\ndata: {data}\n\n"))
}
