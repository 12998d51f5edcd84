//! The argument of handlers under `/v1`.

use std::rc::Rc;

use actix_web::HttpRequest;
use patrol_application::Actor;
use patrol_domain::{Timestamp, access::Caller, ids::Uuid};

use super::Shared;
use crate::{
    error::ApiError,
    extract::Conditions,
    long_lists::LongList,
    services::{Services, Settings},
};

/// A request that has passed all checks before the handler: it is authenticated, permitted, and its
/// id is valid.
pub(crate) struct Call {
    pub(super) request: HttpRequest,
    pub(super) shared: Rc<Shared>,
    pub(super) caller: Caller,
    pub(super) id: Option<Uuid>,
}

impl Call {
    /// The authenticated user.
    pub(crate) const fn caller(&self) -> Caller {
        self.caller
    }

    /// The caller in the form for use cases.
    pub(crate) fn actor(&self) -> Actor {
        self.caller.into()
    }

    pub(crate) fn services(&self) -> &Services {
        &self.shared.services
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.shared.settings
    }

    /// The time of the request.
    pub(crate) fn now(&self) -> Timestamp {
        self.shared.services.clock.now()
    }

    /// The id in the path; the nil UUID on a route without `{id}`.
    pub(crate) fn id<T: From<Uuid>>(&self) -> T {
        self.id.unwrap_or_default().into()
    }

    /// The query string as sent, without the question mark.
    pub(crate) fn query(&self) -> &str {
        self.request.query_string()
    }

    /// Waits until the caller may read one more long list.
    ///
    /// # Errors
    /// `too.many.requests` when the caller already reads too many.
    pub(crate) async fn begin_long_list(&self) -> Result<LongList, ApiError> {
        Ok(self.shared.long_lists.begin(self.caller.user).await?)
    }

    /// The conditions of the request: `If-Match`, `If-None-Match`.
    pub(crate) fn conditions(&self) -> Conditions<'_> {
        Conditions::of(&self.request)
    }
}
