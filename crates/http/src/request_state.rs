//! The state of a request while it is answered.

use std::{cell::Cell, net::IpAddr, rc::Rc};

use actix_web::{
    HttpMessage as _, HttpRequest,
    dev::{Payload, ServiceRequest},
    http::header::HeaderMap,
    web::Data,
};
use bytes::Bytes;
use patrol_domain::{access::Caller, idempotency::KeyedRequest, ids::UserId};
use tracing::Span;

use crate::{
    body::{self, BodyBounds, LongBody, Pieces},
    budget::Share,
    connection::Activity,
    dry_run::DryRun,
    error::Code,
    error::{ApiError, Problem},
    fault_style::FaultStyle,
    metrics::RouteIndex,
    request_id::RequestId,
    route::Endpoint,
    shared::Shared,
    trace,
};

/// The state of a request. The outer middleware creates it; resources and extractors, which run
/// later, add to it. It outlives a cancelled request, so that the log can use it.
pub(crate) struct RequestState {
    pub(crate) shared: Data<Shared>,
    /// The state of the connection; tests have none.
    pub(crate) activity: Option<Rc<Activity>>,
    pub(crate) request_id: RequestId,
    /// The address of the client; tests may have none.
    pub(crate) client: Option<IpAddr>,
    /// The span of the request, until the head of the response. A streamed body is in the span of
    /// its list.
    pub(crate) span: Span,
    /// The index of the route in the metrics.
    pub(crate) route: Cell<Option<RouteIndex>>,
    /// Whether the response must not be cached.
    pub(crate) no_store: Cell<bool>,
    /// Whether a session of the site does not open the resource.
    pub(crate) needs_token: Cell<bool>,
    /// Whether an error is answered with a page of the site, if there is one.
    pub(crate) is_page: Cell<bool>,
    /// The authenticated user; `None` before or without authentication.
    pub(crate) caller: Cell<Option<Caller>>,
    /// The run of a request with an `Idempotency-Key`.
    pub(crate) keyed: Cell<Option<KeyedRequest>>,
    /// What the endpoint asks of the request; `None` outside the API, and before a route of the resource is found.
    pub(crate) endpoint: Cell<Option<Endpoint>>,
    /// The code of the error that is answered, and that of its first detail.
    pub(crate) error: Cell<(Option<Code>, Option<Code>)>,
    /// Whether the request is a dry run.
    pub(crate) dry_run: Cell<DryRun>,
}

impl RequestState {
    /// Reads a body of at most `limit` bytes, within the request timeout. Returns the body with its
    /// memory: `memory_factor` times the body.
    ///
    /// # Errors
    /// When the body is longer, incomplete or late, or when there is no memory for it.
    pub(crate) async fn read_body(
        &self,
        headers: &HeaderMap,
        payload: &mut Payload,
        limit: usize,
        memory_factor: usize,
    ) -> Result<(Bytes, Share), Box<Problem>> {
        self.has_room_for_answer()?;
        let Shared { settings, bodies, .. } = self.shared.get_ref();
        let bounds = BodyBounds { limit, timeout: settings.request_timeout, memory_factor };
        let mut memory = bodies.share(self.user(), body::content_length(headers));
        let activity = self.activity.as_deref();
        if let (Some(activity), None) = (activity, self.user()) {
            activity.note_anonymous();
        }
        let body = body::read(payload, headers, bounds, &mut memory, activity).await?;
        Ok((body, memory))
    }

    /// Checks that the user reads what it asks for: for one who does not, no large record is made, and
    /// nothing is changed, because the answer to a change is always sent.
    ///
    /// # Errors
    /// `service.unavailable` while the user has not read what takes all its memory for responses.
    pub(crate) fn has_room_for_answer(&self) -> Result<(), Box<Problem>> {
        self.user().map_or(Ok(()), |user| self.shared.answers.has_room(user))
    }

    /// How faults of the request are reported.
    pub(crate) fn fault_style(&self) -> FaultStyle {
        self.endpoint.get().map_or(FaultStyle::PLAIN, |endpoint| endpoint.faults)
    }

    /// Whose request it is, once that is known.
    pub(crate) fn user(&self) -> Option<UserId> {
        self.caller.get().map(|caller| caller.user)
    }

    /// Begins to read a long body of at most `limit` bytes, piece by piece.
    ///
    /// # Errors
    /// Those of [`LongBody::begin`].
    pub(crate) fn begin_long_body<'a>(
        &'a self,
        headers: &HeaderMap,
        payload: &'a mut Payload,
        limit: usize,
    ) -> Result<LongBody<'a>, Box<Problem>> {
        self.has_room_for_answer()?;
        let Shared { settings, bodies, .. } = self.shared.get_ref();
        let pieces = Pieces::begin(payload, headers, limit, self.activity.as_deref())?;
        LongBody::begin(pieces, settings.request_timeout, bodies.share(self.user(), None))
    }

    /// Creates the state of a new request and stores it in the request.
    ///
    /// # Errors
    /// Those of [`Shared::of`].
    pub(crate) fn begin(request: &ServiceRequest) -> Result<Rc<Self>, ApiError> {
        let shared = Data::clone(Shared::of(request)?);
        let request_id = RequestId::of(request.headers(), shared.services.ids.as_ref());
        let proxies = &shared.settings.trusted_proxies;
        let client = request.peer_addr().map(|peer| proxies.client(peer.ip(), request.headers()));
        let span = trace::request(request, &request_id, shared.services.continue_trace);
        let state = Rc::new(Self {
            shared,
            span,
            activity: request.conn_data().cloned(),
            request_id,
            client,
            route: Cell::default(),
            no_store: Cell::default(),
            needs_token: Cell::default(),
            is_page: Cell::default(),
            caller: Cell::default(),
            keyed: Cell::default(),
            endpoint: Cell::default(),
            error: Cell::default(),
            dry_run: Cell::default(),
        });
        request.extensions_mut().insert(Rc::clone(&state));
        Ok(state)
    }

    /// The state of this request.
    ///
    /// # Errors
    /// When [`Self::begin`] was not called, which is a defect.
    pub(crate) fn of(request: &HttpRequest) -> Result<Rc<Self>, ApiError> {
        let state = request.extensions().get().cloned();
        state.ok_or_else(|| {
            ApiError::internal(
                "the middleware `observe` did not run before this request was handled",
            )
        })
    }
}
