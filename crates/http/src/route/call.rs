//! The extractors of handlers under `/v1`.

use std::{future::Future, rc::Rc, sync::Arc};

use actix_web::{FromRequest, HttpMessage as _, HttpRequest, dev::Payload};
use bytes::Bytes;
use futures_util::future::LocalBoxFuture;
use patrol_application::{Actor, Failure};
use patrol_domain::{
    Identified, Target, Timestamp, Versioned, access::Caller, ids::Uuid, task_execution::Moment,
};

use super::{check, endpoint::Endpoint};
use crate::{
    body::LongBody,
    body_kind::BodyKind,
    budget::Share,
    dry_run::{DRY_RUN, DryRun},
    error::{ApiError, Code, Problem},
    extract::Conditions,
    idempotency::ChangedBefore,
    request_limit::{RequestLimit, RequestPermit},
    request_state::RequestState,
    services::Services,
    settings::Settings,
    shared::Shared,
    unknown_names,
};

/// The `Retry-After` when a user has too many requests of one kind, in seconds.
const BUSY_USER_RETRY: u64 = 5;

/// A request that has passed all checks of its [`Endpoint`] before the handler: it is authenticated,
/// permitted, and its id is valid.
pub(crate) struct Call {
    request: HttpRequest,
    state: Rc<RequestState>,
    pub(super) endpoint: Endpoint,
    caller: Caller,
    /// The id in the path, if the path has one.
    pub(super) id: Option<Uuid>,
    /// The memory of the body, released after the handler.
    memory: Option<Share>,
}

/// A [`Call`] with a body that has passed all checks before the handler.
pub(crate) struct WithBody<B>(pub(crate) Call, pub(crate) B);

/// A [`Call`] whose body is read piece by piece, and has passed all checks of its head.
pub(crate) struct WithLongBody(pub(crate) Call, Payload);

/// A value that is made from the body of a request.
pub(crate) trait RequestBody: Sized + 'static {
    /// The kind of body from which the value is made.
    const KIND: BodyKind;

    /// Makes the value from the bytes of the body.
    ///
    /// # Errors
    /// When the body does not have the form of the value, or the caller may not send it.
    fn read(call: &Call, body: Bytes) -> impl Future<Output = Result<Self, ApiError>>;
}

/// An extractor that runs all checks. Only the extractors of this module implement this trait, and
/// handlers under `/v1` accept only such extractors.
pub(crate) trait CheckedExtractor: FromRequest + 'static {
    /// The kind of body that is read.
    const BODY: BodyKind;
}

impl CheckedExtractor for Call {
    const BODY: BodyKind = BodyKind::Ignored;
}

impl FromRequest for Call {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let call = Self::check_head(request, BodyKind::Ignored).await?;
            unknown_names::note_parameters(&call.request, call.endpoint.has_parameter);
            Ok(call)
        })
    }
}

impl<B: RequestBody> CheckedExtractor for WithBody<B> {
    const BODY: BodyKind = B::KIND;
}

impl<B: RequestBody> FromRequest for WithBody<B> {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, mut payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let mut call = Call::check_head(request, B::KIND).await?;
            let bytes = call.read_body(&mut payload, B::KIND).await?;
            unknown_names::note_parameters(&call.request, call.endpoint.has_parameter);
            let body = B::read(&call, bytes).await?;
            Ok(Self(call, body))
        })
    }
}

impl CheckedExtractor for WithLongBody {
    const BODY: BodyKind = BodyKind::Media;
}

impl FromRequest for WithLongBody {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let call = Call::check_head(request, BodyKind::Media).await?;
            unknown_names::note_parameters(&call.request, call.endpoint.has_parameter);
            Ok(Self(call, payload))
        })
    }
}

impl WithLongBody {
    /// The request, and its body.
    ///
    /// # Errors
    /// Those of [`LongBody::begin`].
    pub(crate) fn open(&mut self) -> Result<(&Call, LongBody<'_>), ApiError> {
        let Self(call, payload) = self;
        let limit = BodyKind::Media.limit(call.settings());
        let body = call.state.begin_long_body(call.request.headers(), payload, limit)?;
        Ok((call, body))
    }
}

impl Call {
    /// Runs the checks that need only the head of the request, in the order of
    /// `docs/api/errors.md`.
    async fn check_head(request: HttpRequest, body: BodyKind) -> Result<Self, ApiError> {
        let state = RequestState::of(&request)?;
        let endpoint = state.endpoint.get().ok_or_else(|| {
            ApiError::internal("a handler of the API is not registered with its endpoint")
        })?;
        if (endpoint.has_parameter)(DRY_RUN) {
            state.dry_run.set(DryRun::of(request.query_string()));
        }
        let caller = Self::authorize(&request, &state, endpoint).await?;
        check::content_type(request.headers(), body, endpoint.faults.media)?;
        let id = request
            .match_info()
            .get("id")
            .map(|text| check::path_id(text, &endpoint.faults))
            .transpose()?;
        Ok(Self { request, state, endpoint, caller, id, memory: None })
    }

    /// Authenticates the caller and checks the permission once more, after the request has waited.
    ///
    /// # Errors
    /// When the token or the rights of the caller have ended since the request began.
    pub(crate) async fn authorize_again(&self) -> Result<Actor, ApiError> {
        let caller = Self::authorize(&self.request, &self.state, self.endpoint).await?;
        Ok(self.actor_of(caller))
    }

    /// Authenticates the caller, and checks that the role may execute the operation for at least
    /// some records.
    async fn authorize(
        request: &HttpRequest,
        state: &RequestState,
        endpoint: Endpoint,
    ) -> Result<Caller, ApiError> {
        // A failure without a caller is logged as a rejected credential.
        state.caller.set(None);
        let caller = check::authenticate(request, state).await?;
        state.caller.set(Some(caller));
        check::permit(caller, endpoint.operation)?;
        Ok(caller)
    }

    /// Reads the body. Its memory is part of the budget until the handler has ended.
    async fn read_body(
        &mut self,
        payload: &mut Payload,
        kind: BodyKind,
    ) -> Result<Bytes, ApiError> {
        let (headers, limit) = (self.request.headers(), kind.limit(self.settings()));
        let read = self.state.read_body(headers, payload, limit, kind.memory_factor());
        let (body, memory) = read.await?;
        self.memory = Some(memory);
        Ok(body)
    }

    /// The request itself.
    pub(crate) const fn request(&self) -> &HttpRequest {
        &self.request
    }

    /// The authenticated user.
    pub(crate) const fn caller(&self) -> Caller {
        self.caller
    }

    /// The caller in the form for use cases.
    pub(crate) fn actor(&self) -> Actor {
        self.actor_of(self.caller)
    }

    fn actor_of(&self, caller: Caller) -> Actor {
        let request = self.state.request_id.for_events();
        Actor::User { caller, request, keyed: self.state.keyed.get() }
    }

    pub(crate) fn services(&self) -> &Services {
        &self.state.shared.services
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.state.shared.settings
    }

    /// The current time.
    pub(crate) fn now(&self) -> Timestamp {
        self.state.shared.services.clock.now()
    }

    /// The current time, and when a round is late at it.
    pub(crate) fn moment(&self) -> Moment {
        self.services().punctuality.at(self.now())
    }

    /// The id in the path; the nil UUID on a route without `{id}`.
    pub(crate) fn id<T: From<Uuid>>(&self) -> T {
        self.id.unwrap_or_default().into()
    }

    /// The first record that an earlier run of this request changed. Only for the handler of a
    /// repeated request.
    ///
    /// # Errors
    /// When no record is known, which is a defect.
    pub(crate) fn changed<T: From<Uuid>>(&self) -> Result<T, ApiError> {
        let extensions = self.request.extensions();
        let first =
            extensions.get::<ChangedBefore>().and_then(|ChangedBefore(records)| records.first());
        let missing = || ApiError::internal("a repeated request without a changed record");
        first.map(|id| T::from(*id)).ok_or_else(missing)
    }

    /// The query string as sent, without the question mark.
    pub(crate) fn query(&self) -> &str {
        self.request.query_string()
    }

    /// Whether the request is a dry run.
    ///
    /// # Errors
    /// Those of [`DryRun::is_requested`].
    pub(crate) fn is_dry_run(&self) -> Result<bool, ApiError> {
        self.state.dry_run.get().is_requested()
    }

    /// What all requests share.
    pub(crate) fn shared(&self) -> &Shared {
        &self.state.shared
    }

    /// Checks that the caller reads what it asks for.
    ///
    /// # Errors
    /// Those of [`RequestState::has_room_for_answer`].
    pub(crate) fn has_room_for_answer(&self) -> Result<(), ApiError> {
        Ok(self.state.has_room_for_answer()?)
    }

    /// Waits until the caller may run one more long list.
    ///
    /// # Errors
    /// `too.many.requests` when no other long list of the caller ends in time.
    pub(crate) async fn begin_long_list(&self) -> Result<RequestPermit, ApiError> {
        self.begin(&self.state.shared.long_lists).await
    }

    /// Waits until the caller's previous expansion of a schedule (preview, dry run, update of a
    /// series) has ended.
    ///
    /// # Errors
    /// `too.many.requests` when it does not end in time.
    pub(crate) async fn begin_expansion(&self) -> Result<RequestPermit, ApiError> {
        self.begin(&self.state.shared.schedule_expansions).await
    }

    /// Waits until the caller's previous request for figures has ended.
    ///
    /// # Errors
    /// `too.many.requests` when it does not end in time.
    pub(crate) async fn begin_figures(&self) -> Result<RequestPermit, ApiError> {
        self.begin(&self.state.shared.figures).await
    }

    async fn begin(&self, limit: &Arc<RequestLimit>) -> Result<RequestPermit, ApiError> {
        let permit = limit.acquire(self.caller.user).await;
        permit.ok_or_else(|| Problem::retry_later(Code::TooManyRequests, BUSY_USER_RETRY).into())
    }

    /// The record in the path, with the expected version from `If-Match`. `get` reads the record;
    /// it is called only when `If-Match` has several tags.
    ///
    /// # Errors
    /// Those of `get`.
    pub(crate) async fn target<T, F>(
        &self,
        get: impl FnOnce(Actor, T::Id) -> F,
    ) -> Result<Target<T>, ApiError>
    where
        T: Identified<Id: From<Uuid>>,
        F: Future<Output = Result<Versioned<T>, Failure>>,
    {
        let id = self.id();
        let current = || async move { Ok(get(self.actor(), id).await?.version) };
        Ok(Target { id, expected: self.conditions().expected_version(current).await? })
    }

    /// The conditions of the request: `If-Match`, `If-None-Match`.
    pub(crate) fn conditions(&self) -> Conditions<'_> {
        Conditions::of(&self.request)
    }
}
