//! Forms that take effect once, however often they are sent.

use std::{future::Future, time::Duration};

use actix_web::{Error, http::StatusCode, rt, web::Data};
use patrol_application::{Actor, Failure};
use patrol_domain::{
    Timestamp,
    idempotency::{KeyState, KeyedRequest},
    ids::parse,
};
use patrol_http::PageError;

use crate::visit::SignedIn;

/// How long a form is in use, if the process ends while it is executed.
const FORM_RUNS: Duration = Duration::from_secs(60);

/// Runs the use case of a form, unless the form was sent before: then `None`. `form` is the id that the page
/// has given it. Forms are kept like requests with an `Idempotency-Key`. The use case runs in a task of its
/// own, so that the form is used or given up also when its client leaves.
///
/// # Errors
/// 400 when `form` is no id; when the store fails.
pub(crate) async fn once<T, F>(
    signed_in: &SignedIn,
    form: &str,
    run: impl FnOnce(Actor) -> F + 'static,
) -> Result<Option<Result<T, Failure>>, Error>
where
    T: 'static,
    F: Future<Output = Result<T, Failure>>,
{
    let form = parse(form).ok_or(PageError::new(StatusCode::BAD_REQUEST))?;
    let site = Data::clone(&signed_in.visit.site);
    let (actor, user) = (signed_in.actor, signed_in.session.user.id);
    let done = rt::spawn(async move {
        let api = &site.api;
        let now = api.clock.now();
        let key = site.services.secrets.digest(&format!("form {user} {form}")).0;
        // As long as the session, and with it the form, may last.
        let expires_at = later(now, site.settings.session_max);
        let keyed = KeyedRequest { key, fingerprint: key, run: api.ids.next(), expires_at };
        let keys = &api.idempotency_keys;
        match keys.begin(keyed, FORM_RUNS, now).await.map_err(PageError::of)? {
            KeyState::Free => {}
            KeyState::OtherRequest
            | KeyState::InUse
            | KeyState::Changed(_)
            | KeyState::Answered(_) => return Ok(None),
        }
        let actor = match actor {
            Actor::User { caller, request, .. } => {
                Actor::User { caller, request, keyed: Some(keyed) }
            }
            operator @ Actor::Operator(_) => operator,
        };
        let done = run(actor).await;
        // If this fails, the form only stays in use for a minute: what it did is stored with its key.
        drop(keys.hold(keyed, Duration::ZERO).await);
        Ok(match done {
            Err(Failure::Superseded) => None,
            done => Some(done),
        })
    });
    done.await.map_err(|_| PageError::new(StatusCode::INTERNAL_SERVER_ERROR))?
}

/// The time after another one.
pub(crate) fn later(now: Timestamp, time: Duration) -> Timestamp {
    let millis = i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
    now.shifted(millis).unwrap_or(Timestamp::LAST)
}
