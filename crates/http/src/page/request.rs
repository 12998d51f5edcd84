//! A request for a page, as the handlers of a site see it.

use std::{
    future::Ready,
    net::{IpAddr, Ipv4Addr},
    rc::Rc,
    sync::Arc,
};

use actix_web::{Error, FromRequest, HttpRequest, HttpResponse, dev::Payload};
use bytes::Bytes;
use patrol_application::{Actor, Failure, SeriesService, SplitSeries};
use patrol_domain::{
    Target, Timestamp,
    access::Caller,
    ids::{MediaId, UserId},
    photo::Photo,
    scheduled_task::ScheduledTask,
    series::SeriesDraft,
    task_execution::TaskExecution,
};

use super::PageError;
use crate::{
    body_kind::BodyKind,
    budget::Share,
    client_address::client_network,
    error::{ApiError, Code, Problem},
    form::FileForm,
    health::Health,
    image,
    request_limit::{Key, RequestPermit},
    request_state::RequestState,
    route::check::authenticate_session,
    series::SeriesCaller,
};

/// The memory of a form for each byte of its body: the body itself and its decoded fields, with room
/// for copies of them.
const FORM_MEMORY_FACTOR: usize = 4;

/// Tells whether the process is stopping.
#[derive(Clone)]
pub struct Stopping(Arc<Health>);

impl Stopping {
    /// Whether the process is stopping: answers that wait for something should end.
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        self.0.is_stopping()
    }
}

/// The permit of a request; an error for one that has waited too long.
fn in_time<K: Key>(permit: Option<RequestPermit<K>>) -> Result<RequestPermit<K>, ApiError> {
    permit.ok_or_else(|| Problem::retry_later(Code::Unavailable, 1).into())
}

/// A request for a page.
pub struct PageRequest {
    state: Rc<RequestState>,
    request: HttpRequest,
    /// The memory for the body, until the request is answered.
    memory: Option<Share>,
}

impl FromRequest for PageRequest {
    type Error = Error;
    type Future = Ready<Result<Self, Error>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let page = |state| Self { state, request: request.clone(), memory: None };
        std::future::ready(RequestState::of(request).map(page).map_err(Error::from))
    }
}

impl PageRequest {
    /// The address of the client, as in the log.
    #[must_use]
    pub fn client(&self) -> Option<IpAddr> {
        self.state.client
    }

    /// Tells an answer that is sent for a long time when to end.
    #[must_use]
    pub fn stopping(&self) -> Stopping {
        Stopping(Arc::clone(&self.state.shared.health))
    }

    /// The caller for use cases. The log line of the request names it.
    #[must_use]
    pub fn actor(&self, caller: Caller) -> Actor {
        self.state.caller.set(Some(caller));
        Actor::User { caller, request: self.state.request_id.for_events(), keyed: None }
    }

    /// Authenticates a request that is no page by its session, as the API does.
    ///
    /// # Errors
    /// 401 without a valid session, 403 when a page of this site did not send the request.
    pub async fn authenticate(&self) -> Result<Actor, Error> {
        Ok(self.actor(authenticate_session(&self.request, &self.state).await?))
    }

    /// Waits until the client has no other slow request, so that one client cannot occupy all
    /// threads for slow work. The next one begins when the permit is dropped.
    ///
    /// # Errors
    /// 503 after 5 s. The answer is [`Site::error_page`](super::Site::error_page).
    pub async fn begin_slow_request(&self) -> Result<RequestPermit<IpAddr>, Error> {
        // Only tests have requests without a peer.
        let client = self.state.client.unwrap_or(Ipv4Addr::UNSPECIFIED.into());
        Ok(in_time(self.state.shared.slow_requests.acquire(client_network(client)).await)?)
    }

    /// Checks that the user reads what it asks for, before a large page is made.
    ///
    /// # Errors
    /// 503 while it has not. The answer is [`Site::error_page`](super::Site::error_page).
    pub fn has_room_for_answer(&self) -> Result<(), Error> {
        Ok(self.state.has_room_for_answer().map_err(ApiError::from)?)
    }

    /// Waits until the user may read one more long list. The next one begins when the permit is dropped.
    ///
    /// # Errors
    /// 503 when no other long list of the user ends in time. The answer is
    /// [`Site::error_page`](super::Site::error_page).
    pub async fn begin_long_list(&self, user: UserId) -> Result<RequestPermit, Error> {
        Ok(in_time(self.state.shared.long_lists.acquire(user).await)?)
    }

    /// Waits until the user's previous expansion of a schedule has ended. The next one begins when the
    /// permit is dropped.
    ///
    /// # Errors
    /// 503 when it does not end in time. The answer is [`Site::error_page`](super::Site::error_page).
    pub async fn begin_expansion(&self, user: UserId) -> Result<RequestPermit, Error> {
        Ok(in_time(self.state.shared.schedule_expansions.acquire(user).await)?)
    }

    /// Waits until the user's previous request for figures has ended.
    ///
    /// # Errors
    /// 503 when it does not end in time. The answer is [`Site::error_page`](super::Site::error_page).
    pub async fn begin_figures(&self, user: UserId) -> Result<RequestPermit, Error> {
        Ok(in_time(self.state.shared.figures.acquire(user).await)?)
    }

    /// The start of the next occurrence of a plan after `now`.
    ///
    /// # Errors
    /// 500 when the thread that computes it fails. The answer is
    /// [`Site::error_page`](super::Site::error_page).
    pub async fn next_start(
        &self,
        plan: &ScheduledTask,
        user: UserId,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, Error> {
        let found = self.state.shared.next_starts.find(plan, (user, now)).await;
        found.map_err(PageError::of)
    }

    /// Updates an execution and those that follow in its series, as the API does.
    ///
    /// # Errors
    /// 503 when the user has too many such requests at once; within, those of
    /// [`SeriesService::split`].
    pub async fn update_series(
        &self,
        series: &SeriesService,
        caller: (Actor, UserId),
        from: Target<TaskExecution>,
        draft: SeriesDraft,
    ) -> Result<Result<SplitSeries, Failure>, Error> {
        let (actor, user) = caller;
        let begin = async || in_time(self.state.shared.schedule_expansions.acquire(user).await);
        Ok(SeriesCaller { series, actor }.split(from, draft, begin).await?)
    }

    /// Reads the body, within the bounds of time and memory that hold for all requests.
    ///
    /// # Errors
    /// When the body is longer than `limit` bytes, incomplete or late, or when there is no memory
    /// for it. The answer is [`Site::error_page`](super::Site::error_page).
    pub async fn body(&mut self, payload: &mut Payload, limit: usize) -> Result<Bytes, Error> {
        self.read(payload, limit, FORM_MEMORY_FACTOR).await
    }

    async fn read(
        &mut self,
        payload: &mut Payload,
        limit: usize,
        memory_factor: usize,
    ) -> Result<Bytes, Error> {
        let headers = self.request.headers();
        let read = self.state.read_body(headers, payload, limit, memory_factor).await;
        let (body, memory) = read.map_err(ApiError::from)?;
        self.memory = Some(memory);
        Ok(body)
    }

    /// Reads a form with one file, `multipart/form-data`. `file` is the name of the part with the file,
    /// which may be as large as a photo of the API.
    ///
    /// # Errors
    /// Those of [`Self::body`]; 413 when a part is too large, and 400 when the body is not such a form.
    pub async fn file_form(
        &mut self,
        payload: &mut Payload,
        file: &str,
    ) -> Result<FileForm, Error> {
        let settings = &self.state.shared.settings;
        let (limit, photo_limit) = (BodyKind::Form.limit(settings), settings.photo_limit);
        let body = self.read(payload, limit, BodyKind::Form.memory_factor()).await?;
        let headers = self.request.headers();
        let form = FileForm::read(headers, body, file, photo_limit, BodyKind::FORM_OVERHEAD);
        Ok(form.await?)
    }

    /// The answer with an image, as the API gives it: with an entity tag, and 304 when the browser has
    /// the image. `current` reads only the id of the image; it is awaited only when the request has
    /// `If-None-Match`.
    ///
    /// # Errors
    /// Those of the two futures.
    pub async fn image(
        &self,
        current: impl Future<Output = Result<MediaId, Failure>>,
        image: impl Future<Output = Result<(MediaId, Photo), Failure>>,
    ) -> Result<HttpResponse, Error> {
        Ok(image::answer(&self.request, current, image).await?)
    }
}
