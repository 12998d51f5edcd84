//! Who asks for a page: anyone, or a user with a session.

use std::{cell::RefCell, future::Future, net::Ipv4Addr, pin::Pin};

use actix_web::{
    Error, FromRequest, HttpRequest,
    cookie::Cookie,
    dev::Payload,
    http::{
        Method, StatusCode,
        header::{ACCEPT, HeaderName, REFERER, USER_AGENT},
        uri::PathAndQuery,
    },
    web::Data,
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use patrol_application::{ActiveSession, Actor, Operation, Visitor, permit};
use patrol_domain::{
    access::{Caller, Role, Secret},
    ids::SessionId,
    schedule::TimeZone,
};
use patrol_http::{PageError, PageRequest};
use serde::de::DeserializeOwned;

use crate::{cookies::Kind, shared::Shared, texts::Language, times::Times};

/// What a browser will do with the answer.
const SEC_FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// The longest address that is kept for the sign-in, in bytes. Browsers keep cookies of 4 KiB.
const MAX_ASKED: usize = 2_000;

/// The future of an extractor.
type Extracted<T> = Pin<Box<dyn Future<Output = Result<T, Error>>>>;

/// A request for a page by anyone.
pub(crate) struct Visit {
    pub(crate) site: Data<Shared>,
    pub(crate) page: PageRequest,
    pub(crate) request: HttpRequest,
    /// The secret that the forms of the page are bound to.
    secret: String,
    /// The cookies that the answer sets.
    pub(crate) cookies: RefCell<Vec<Cookie<'static>>>,
}

impl Visit {
    /// The visit of a browser without a session. Sets the cookie that forms are bound to, if the
    /// browser has none.
    ///
    /// # Errors
    /// When there is no randomness for a secret.
    pub(crate) fn at(
        site: Data<Shared>,
        request: HttpRequest,
        page: PageRequest,
    ) -> Result<Self, Error> {
        let url = &site.settings.public_url;
        let known = Kind::Visit.read(&request, url).filter(|secret| !secret.is_empty());
        let (secret, cookie) = match known {
            Some(secret) => (secret, None),
            None => {
                let made = site.services.secrets.generate();
                let (Secret(secret), _) = made.map_err(PageError::of)?;
                let cookie = Kind::Visit.set(secret.clone(), url, site.settings.session_max);
                (secret, Some(cookie))
            }
        };
        let cookies = RefCell::new(cookie.into_iter().collect());
        Ok(Self { site, page, request, secret, cookies })
    }

    /// The chosen language, or the one that the browser prefers.
    pub(crate) fn language(&self) -> &'static Language {
        let chosen = Kind::Language.read(&self.request, &self.site.settings.public_url);
        let chosen = chosen.and_then(|code| Language::named(&code));
        chosen.unwrap_or_else(|| Language::preferred(&self.request))
    }

    /// The chosen time zone, that of the browser, or that of the setting.
    pub(crate) fn zone(&self) -> TimeZone {
        let settings = &self.site.settings;
        let named = |kind: Kind| {
            let name = kind.read(&self.request, &settings.public_url)?;
            TimeZone::named(&name)
        };
        named(Kind::Zone)
            .or_else(|| named(Kind::BrowserZone))
            .unwrap_or_else(|| settings.time_zone.clone())
    }

    /// How times are shown.
    pub(crate) fn times(&self) -> Times<'_> {
        Times::new(self.zone(), &self.language().texts, self.site.api.clock.now())
    }

    /// The value of the hidden field of all forms.
    pub(crate) fn form_token(&self) -> String {
        self.site.form_token(&self.secret)
    }

    /// Whether a form with this token was made for the visit.
    pub(crate) fn has_form_token(&self, sent: &str) -> bool {
        self.site.is_form_token(sent, &self.secret)
    }

    /// The parameters of the address.
    ///
    /// # Errors
    /// 400 when one of them has a wrong form.
    pub(crate) fn parameters<T: DeserializeOwned>(&self) -> Result<T, PageError> {
        let read = serde_urlencoded::from_str(self.request.query_string());
        read.map_err(|_| PageError::new(StatusCode::BAD_REQUEST))
    }

    /// Sets a cookie with the answer.
    pub(crate) fn set_cookie(&self, kind: Kind, value: String) {
        let settings = &self.site.settings;
        let cookie = kind.set(value, &settings.public_url, settings.session_max);
        self.cookies.borrow_mut().push(cookie);
    }

    /// Removes a cookie from the browser with the answer.
    pub(crate) fn remove_cookie(&self, kind: Kind) {
        self.cookies.borrow_mut().push(kind.removal(&self.site.settings.public_url));
    }

    /// Keeps the address for the sign-in, which leads there. What scripts and pictures ask for is left out.
    pub(crate) fn keep_asked(&self) {
        let asked = self.request.uri().path_and_query().map_or("/", PathAndQuery::as_str);
        if self.request.method() == Method::GET && self.is_for_a_page() {
            self.keep_path(asked);
        }
    }

    /// Tells the page of the sign-in that a form was not saved, and keeps the address of its page.
    pub(crate) fn keep_lost(&self) {
        let is_form = self.request.method() == Method::POST && self.is_for_a_page();
        if !is_form || self.request.path() == "/sign-out" {
            return;
        }
        let page = self.request.headers().get(REFERER).and_then(|page| page.to_str().ok());
        let url = self.site.settings.public_url.to_string();
        let path = page.and_then(|page| page.strip_prefix(&url));
        // Another site must not make this one say so.
        if let Some(path) = path.filter(|path| path.starts_with('/')) {
            self.set_cookie(Kind::Lost, "true".to_owned());
            self.keep_path(path);
        }
    }

    /// Whether the browser will show the answer as a page, as far as it says so.
    fn is_for_a_page(&self) -> bool {
        let headers = self.request.headers();
        if let Some(destination) = headers.get(SEC_FETCH_DEST) {
            return destination == "document";
        }
        // Without HTTPS browsers do not say it. Streams and pictures name what they accept first.
        let accepted = headers.get(ACCEPT).and_then(|accepted| accepted.to_str().ok());
        accepted.is_none_or(|list| ["text/html", "*/*"].iter().any(|kind| list.starts_with(kind)))
    }

    fn keep_path(&self, path: &str) {
        if path != "/" && path.len() <= MAX_ASKED {
            self.set_cookie(Kind::Asked, URL_SAFE_NO_PAD.encode(path));
        }
    }

    /// Takes the mark that a form was not saved because the session had ended. True if there was one.
    pub(crate) fn take_lost(&self) -> bool {
        let is_lost = Kind::Lost.read(&self.request, &self.site.settings.public_url).is_some();
        if is_lost {
            self.remove_cookie(Kind::Lost);
        }
        is_lost
    }

    /// Takes the address that was asked for without a session.
    pub(crate) fn take_asked(&self) -> Option<String> {
        let asked = Kind::Asked.read(&self.request, &self.site.settings.public_url)?;
        self.remove_cookie(Kind::Asked);
        String::from_utf8(URL_SAFE_NO_PAD.decode(asked).ok()?).ok()
    }

    /// Signs the browser in: its session replaces the secret of the visit, and the session that the
    /// browser had before ends.
    pub(crate) async fn sign_in(&self, secret: String) {
        if let Some(former) = Kind::Session.read(&self.request, &self.site.settings.public_url) {
            // The new session is stored, and an invitation used up: a failure must not hide that.
            if let Err(error) = self.site.services.sign_in.sign_out(&former).await {
                tracing::warn!(%error, "the former session of a browser is not ended");
            }
        }
        self.cookies.borrow_mut().clear();
        self.remove_cookie(Kind::Visit);
        self.set_cookie(Kind::Session, secret);
    }

    /// Where the request comes from.
    pub(crate) fn visitor(&self) -> Visitor {
        let browser = self.request.headers().get(USER_AGENT).and_then(|value| value.to_str().ok());
        Visitor {
            // Only tests have requests without a peer.
            address: self.page.client().unwrap_or(Ipv4Addr::UNSPECIFIED.into()),
            browser: browser.unwrap_or_default().to_owned(),
        }
    }
}

/// The state of the site.
///
/// # Errors
/// When the resource has no such data, which is a defect.
pub(crate) fn site_of(request: &HttpRequest) -> Result<Data<Shared>, Error> {
    let site = request.app_data::<Data<Shared>>().cloned();
    site.ok_or_else(|| PageError::internal("the resource has no state of the site"))
}

impl FromRequest for Visit {
    type Error = Error;
    type Future = Extracted<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let page = PageRequest::from_request(request, payload);
        let request = request.clone();
        Box::pin(async move { Self::at(site_of(&request)?, request, page.await?) })
    }
}

/// The page that a user with this role begins with: guards with the rounds that they walk.
pub(crate) const fn start_of(role: Role) -> &'static str {
    match role {
        Role::Employee => "/guard",
        Role::Manager | Role::Admin => "/rounds",
    }
}

/// A request by a user with a session. Without a session the answer is a redirection to `/sign-in`.
pub(crate) struct SignedIn {
    pub(crate) visit: Visit,
    pub(crate) session: ActiveSession,
    /// The user, for use cases.
    pub(crate) actor: Actor,
    /// The secret of the session.
    pub(crate) secret: String,
}

impl SignedIn {
    /// The session of a visit, if there is a valid one.
    pub(crate) async fn of(mut visit: Visit) -> Result<Result<Self, Visit>, Error> {
        let url = &visit.site.settings.public_url;
        let Some(secret) = Kind::Session.read(&visit.request, url) else { return Ok(Err(visit)) };
        let found = visit.site.services.sign_in.session(&secret).await;
        match found.map_err(PageError::of)? {
            None => Ok(Err(visit)),
            Some(session) => {
                let user = &session.user;
                let actor =
                    visit.page.actor(Caller { user: user.id, role: user.role, token: None });
                visit.secret.clone_from(&secret);
                // Forms are bound to the session.
                visit.cookies.get_mut().clear();
                Ok(Ok(Self { visit, session, actor, secret }))
            }
        }
    }

    /// The id of the session.
    pub(crate) const fn id(&self) -> SessionId {
        self.session.session.id
    }

    /// The page that the user begins with.
    pub(crate) const fn start(&self) -> &'static str {
        start_of(self.session.user.role)
    }

    /// Whether the user may plan rounds and change records.
    pub(crate) fn is_planner(&self) -> bool {
        permit(self.actor, Operation::Plan).is_ok()
    }

    /// Whether the user is an administrator.
    pub(crate) fn is_admin(&self) -> bool {
        self.session.user.role == Role::Admin
    }
}

impl FromRequest for SignedIn {
    type Error = Error;
    type Future = Extracted<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let visit = Visit::from_request(request, payload);
        Box::pin(async move {
            let signed_in = Self::of(visit.await?).await?;
            signed_in.map_err(|_| PageError::new(StatusCode::SEE_OTHER).into())
        })
    }
}

/// A request by an administrator.
pub(crate) struct Administrator(pub(crate) SignedIn);

impl FromRequest for Administrator {
    type Error = Error;
    type Future = Extracted<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let signed_in = SignedIn::from_request(request, payload);
        Box::pin(async move {
            let signed_in = signed_in.await?;
            if signed_in.is_admin() {
                Ok(Self(signed_in))
            } else {
                Err(PageError::new(StatusCode::FORBIDDEN).into())
            }
        })
    }
}

/// A request by a user who may plan rounds.
pub(crate) struct Planner(pub(crate) SignedIn);

impl FromRequest for Planner {
    type Error = Error;
    type Future = Extracted<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let signed_in = SignedIn::from_request(request, payload);
        Box::pin(async move {
            let signed_in = signed_in.await?;
            permit(signed_in.actor, Operation::Plan).map_err(PageError::of)?;
            Ok(Self(signed_in))
        })
    }
}

/// What an extractor of a form needs of the extractor of its sender.
pub(crate) trait Sender:
    FromRequest<Error = Error, Future = Extracted<Self>> + 'static
{
    /// The largest form, in bytes.
    const MAX_FORM: usize = 64 << 10;

    /// The visit.
    fn visit(&mut self) -> &mut Visit;
}

impl Sender for Visit {
    fn visit(&mut self) -> &mut Visit {
        self
    }
}

impl Sender for SignedIn {
    fn visit(&mut self) -> &mut Visit {
        &mut self.visit
    }
}

impl Sender for Planner {
    /// A plan with hundreds of steps, each with actions.
    const MAX_FORM: usize = 2 << 20;

    fn visit(&mut self) -> &mut Visit {
        &mut self.0.visit
    }
}

impl Sender for Administrator {
    fn visit(&mut self) -> &mut Visit {
        &mut self.0.visit
    }
}
