//! The cookies of the site.

use std::time::Duration;

use actix_web::{
    HttpRequest,
    cookie::{Cookie, SameSite, time},
};

use crate::PublicUrl;

/// A cookie of the site.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// The secret of a session.
    Session,
    /// A secret that forms are bound to before the sign-in.
    Visit,
    /// The page that was asked for without a session.
    Asked,
    /// That a form was sent after its session had ended.
    Lost,
    /// The chosen language, by its tag.
    Language,
    /// The chosen time zone, by its IANA name.
    Zone,
    /// The time zone of the browser, which the script of the site sets.
    BrowserZone,
}

/// How long the language and the time zone are kept.
const YEAR: Duration = Duration::from_secs(365 * 24 * 3600);

/// How long a sign-in leads to the page that was asked for.
const ASKED: Duration = Duration::from_secs(600);

impl Kind {
    /// The name. With HTTPS, browsers accept the prefix only from this host, over HTTPS and for all
    /// paths, so that no other host of the domain can set the cookie.
    const fn name(self, is_https: bool) -> &'static str {
        match (self, is_https) {
            (Self::Session, false) => "patrol_session",
            (Self::Session, true) => "__Host-patrol_session",
            (Self::Visit, false) => "patrol_visit",
            (Self::Visit, true) => "__Host-patrol_visit",
            (Self::Asked, false) => "patrol_asked",
            (Self::Asked, true) => "__Host-patrol_asked",
            (Self::Lost, false) => "patrol_lost",
            (Self::Lost, true) => "__Host-patrol_lost",
            (Self::Language, false) => "patrol_language",
            (Self::Language, true) => "__Host-patrol_language",
            (Self::Zone, false) => "patrol_zone",
            (Self::Zone, true) => "__Host-patrol_zone",
            (Self::BrowserZone, _) => "patrol_browser_zone",
        }
    }

    /// The value that the browser sent.
    pub(crate) fn read(self, request: &HttpRequest, url: &PublicUrl) -> Option<String> {
        request.cookie(self.name(url.is_https())).map(|cookie| cookie.value().to_owned())
    }

    /// The cookie with this value. `session_max`: how long the cookie of a session is kept.
    pub(crate) fn set(
        self,
        value: String,
        url: &PublicUrl,
        session_max: Duration,
    ) -> Cookie<'static> {
        let mut cookie = Cookie::new(self.name(url.is_https()), value);
        cookie.set_path("/");
        cookie.set_http_only(true);
        cookie.set_same_site(SameSite::Lax);
        cookie.set_secure(url.is_https());
        let kept = match self {
            Self::Session => Some(session_max),
            Self::Visit => None,
            Self::Asked | Self::Lost => Some(ASKED),
            Self::Language | Self::Zone | Self::BrowserZone => Some(YEAR),
        };
        let seconds = kept.and_then(|kept| i64::try_from(kept.as_secs()).ok());
        cookie.set_max_age(seconds.map(time::Duration::seconds));
        cookie
    }

    /// The cookie that removes this one from the browser.
    pub(crate) fn removal(self, url: &PublicUrl) -> Cookie<'static> {
        let mut cookie = self.set(String::new(), url, Duration::ZERO);
        cookie.make_removal();
        cookie
    }
}
