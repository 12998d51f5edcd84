//! What all pages have in common: the frame around their content, and the headers of their answers.

use actix_web::{
    Error, HttpResponse,
    cookie::Cookie,
    http::{
        Method, StatusCode,
        header::{
            CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap, HeaderName,
            HeaderValue, LOCATION, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY,
        },
    },
    web::Bytes,
};
use askama::Template;
use futures_util::{Stream, TryStreamExt as _};
use patrol_domain::{Held, Holder, Timestamp, access::Role, point::PointType};
use patrol_http::PageError;

use crate::{
    PublicUrl,
    texts::{Language, Text, Texts},
    times::{Times, ZONES},
    visit::{SignedIn, Visit},
};

/// Only files of this site; no inline script or style.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; \
     connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
);

/// What [`POLICY`] says about pictures.
const OWN_PICTURES: &str = "img-src 'self'";

pub(crate) const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");

/// The button Copy needs the clipboard; nothing else is used.
const PERMISSIONS: HeaderValue = HeaderValue::from_static(
    "camera=(), clipboard-read=(), clipboard-write=(self), display-capture=(), geolocation=(), \
     microphone=(), payment=(), usb=()",
);

/// The parameter of a page that is to be printed.
const PRINT: &str = "print=true";

/// The longest time that HTTPS is remembered: a year.
const HSTS: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// The frame of a page: its head, navigation, and the forms that every page has.
pub(crate) struct Frame<'a> {
    /// The texts of the language.
    pub(crate) t: &'a Texts,
    /// The BCP 47 tag of the language.
    pub(crate) code: &'static str,
    /// The languages to choose from, with their tags.
    pub(crate) languages: Vec<(&'static str, &'a Text)>,
    /// How times are shown.
    pub(crate) times: Times<'a>,
    /// The time whose zone abbreviation is shown, for example CET in winter.
    pub(crate) zone_at: Timestamp,
    /// The pages of the navigation that the user may see.
    pub(crate) navigation: Vec<(&'static str, &'a Text)>,
    /// The heading, and the title of the window.
    pub(crate) heading: String,
    /// The path that the choice of a language returns to.
    pub(crate) path: String,
    /// The hidden field of all forms.
    pub(crate) token: String,
    /// The user who is signed in.
    pub(crate) user: Option<FrameUser>,
    /// Why the form was refused.
    pub(crate) alert: Option<String>,
    /// What was done.
    pub(crate) notice: Option<String>,
}

/// The user of a page.
pub(crate) struct FrameUser {
    pub(crate) name: String,
    pub(crate) is_admin: bool,
    /// Whether the user may plan rounds and change records.
    pub(crate) is_planner: bool,
}

/// The pages of the navigation, for a user with this role.
fn navigation(t: &Texts, role: Role) -> Vec<(&'static str, &Text)> {
    let is_planner = role != Role::Employee;
    let all = [
        ("/guard", &t.my_rounds, !is_planner),
        ("/rounds", &t.rounds, true),
        ("/plans", &t.plans, true),
        ("/locations", &t.locations, true),
        ("/check-lists", &t.check_lists, true),
        ("/people", &t.people, is_planner),
        ("/figures", &t.figures, is_planner),
        ("/tokens", &t.tokens, true),
    ];
    all.into_iter().filter(|(_, _, may_see)| *may_see).map(|(path, text, _)| (path, text)).collect()
}

impl<'a> Frame<'a> {
    /// The frame of a page for a browser without a session.
    pub(crate) fn of_visit(visit: &'a Visit, heading: &Text) -> Self {
        let language = visit.language();
        let path = visit.request.uri().path_and_query().map_or("/", |path| path.as_str());
        let is_printed = visit.request.query_string().split('&').any(|pair| pair == PRINT);
        Self {
            t: &language.texts,
            code: language.code,
            languages: Language::all().map(|one| (one.code, &one.texts.language)).collect(),
            zone_at: visit.times().now(),
            times: visit.times(),
            navigation: Vec::new(),
            heading: heading.to_string(),
            path: path.to_owned(),
            token: visit.form_token(),
            user: None,
            alert: None,
            notice: is_printed.then(|| language.texts.print_about.to_string()),
        }
    }

    /// The frame of a page for a user.
    pub(crate) fn of_user(signed_in: &'a SignedIn, heading: &Text) -> Self {
        let user = FrameUser {
            name: signed_in.session.user.full_name(),
            is_admin: signed_in.is_admin(),
            is_planner: signed_in.is_planner(),
        };
        let frame = Self::of_visit(&signed_in.visit, heading);
        let navigation = navigation(frame.t, signed_in.session.user.role);
        Self { user: Some(user), navigation, ..frame }
    }

    /// The frame with another heading, for example the name of a record.
    pub(crate) fn headed(self, heading: impl Into<String>) -> Self {
        Self { heading: heading.into(), ..self }
    }

    /// The frame with the zone abbreviation of this time.
    pub(crate) fn with_zone_at(self, zone_at: Timestamp) -> Self {
        Self { zone_at, ..self }
    }

    /// Whether the page belongs to this page of the navigation.
    pub(crate) fn is_under(&self, page: &str) -> bool {
        let parts: &[&str] = match page {
            "/locations" => &["/points", "/graphic-plans"],
            "/people" => &["/import"],
            _ => &[],
        };
        [page].iter().chain(parts).any(|page| {
            let rest = self.path.strip_prefix(page);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']))
        })
    }

    /// Whether the user may plan rounds and change records.
    pub(crate) fn is_planner(&self) -> bool {
        self.user.as_ref().is_some_and(|user| user.is_planner)
    }

    /// Whether the user is an administrator.
    pub(crate) fn is_admin(&self) -> bool {
        self.user.as_ref().is_some_and(|user| user.is_admin)
    }

    /// Where the link "Print" leads without JavaScript: to the same page, which then says how.
    pub(crate) fn print_href(&self) -> String {
        let separator = if self.path.contains('?') { '&' } else { '?' };
        format!("{}{separator}{PRINT}", self.path)
    }

    /// The time zone and what people call it then, for example `Europe/London (GMT)`.
    pub(crate) fn zone_label(&self) -> String {
        let zone = self.times.zone();
        match zone.abbreviation(self.zone_at) {
            short if short == zone.name() => short,
            short => format!("{} ({short})", zone.name()),
        }
    }

    /// The time zones to choose from, and whether each is chosen.
    pub(crate) fn zones(&self) -> impl Iterator<Item = (&str, bool)> {
        let chosen = self.times.zone().name();
        ZONES.iter().map(move |name| (name.as_str(), name == chosen))
    }

    /// The frame of the answer to a refused form.
    pub(crate) fn refused(self, why: impl ToString) -> Self {
        Self { alert: Some(why.to_string()), ..self }
    }

    /// The frame of a page that tells what was done.
    pub(crate) fn done(self, what: Option<impl ToString>) -> Self {
        let notice = what.map(|what| what.to_string()).or(self.notice);
        Self { notice, ..self }
    }

    /// The page to return to after the choice of a language, when a form was answered: its address
    /// cannot be opened.
    pub(crate) fn returns_to(self, path: &str, method: &Method) -> Self {
        if method.is_safe() { self } else { Self { path: path.to_owned(), ..self } }
    }
}

/// The answer with a page.
///
/// # Errors
/// When the page cannot be written, which is a defect.
pub(crate) fn page(
    visit: &Visit,
    status: StatusCode,
    page: &impl Template,
) -> Result<HttpResponse, Error> {
    let body = page.render().map_err(PageError::internal)?;
    let mut answer = HttpResponse::build(status)
        .insert_header((CONTENT_TYPE, "text/html; charset=utf-8"))
        .body(body);
    finish(&mut answer, &visit.site.settings.public_url, &visit.cookies.borrow());
    Ok(answer)
}

/// The answer with a page that also loads pictures of this origin.
///
/// # Errors
/// Those of [`page`], and when the origin is not one, which is a defect.
pub(crate) fn page_with_pictures_of(
    origin: &str,
    visit: &Visit,
    status: StatusCode,
    page: &impl Template,
) -> Result<HttpResponse, Error> {
    let policy = POLICY
        .to_str()
        .map(|policy| policy.replacen(OWN_PICTURES, &format!("{OWN_PICTURES} {origin}"), 1));
    let policy = policy.ok().and_then(|policy| HeaderValue::try_from(policy).ok());
    let policy = policy.ok_or_else(|| PageError::internal("the origin of pictures is not one"))?;
    let mut answer = self::page(visit, status, page)?;
    answer.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    Ok(answer)
}

/// The answer with a page that is made while it is sent.
pub(crate) fn streamed(
    visit: &Visit,
    document: impl Stream<Item = Result<String, Error>> + 'static,
) -> HttpResponse {
    let mut answer = HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "text/html; charset=utf-8"))
        .streaming(document.map_ok(Bytes::from));
    finish(&mut answer, &visit.site.settings.public_url, &visit.cookies.borrow());
    answer
}

/// 303 to another page.
pub(crate) fn redirect(visit: &Visit, path: &str) -> HttpResponse {
    let mut answer = HttpResponse::SeeOther().insert_header((LOCATION, path)).finish();
    finish(&mut answer, &visit.site.settings.public_url, &visit.cookies.borrow());
    answer
}

/// The path, if it leads to a page of this site.
pub(crate) fn own_path(path: &str) -> Option<&str> {
    let is_visible = path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    let is_path = path.starts_with('/') && !path.starts_with("//");
    (is_path && is_visible).then_some(path)
}

/// Adds the headers of every page.
pub(crate) fn finish(answer: &mut HttpResponse, url: &PublicUrl, cookies: &[Cookie<'static>]) {
    for cookie in cookies {
        // Names and values are letters, digits, `-` and `_`, which are always valid.
        let _ = answer.add_cookie(cookie);
    }
    let headers = answer.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    secure(headers, url);
}

/// Adds the headers that limit what a browser does with an answer.
pub(crate) fn secure(headers: &mut HeaderMap, url: &PublicUrl) {
    headers.insert(CONTENT_SECURITY_POLICY, POLICY);
    secure_file(headers, url);
}

/// Adds these headers to an answer that has a policy of its own.
pub(crate) fn secure_file(headers: &mut HeaderMap, url: &PublicUrl) {
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(PERMISSIONS_POLICY, PERMISSIONS);
    if url.is_https() {
        headers.insert(STRICT_TRANSPORT_SECURITY, HSTS);
    }
}

/// "Yes" or "No".
pub(crate) const fn yes_or_no(t: &Texts, yes: bool) -> &Text {
    if yes { &t.yes } else { &t.no }
}

/// The name of a role.
pub(crate) const fn role(t: &Texts, role: Role) -> &Text {
    match role {
        Role::Admin => &t.role_admin,
        Role::Manager => &t.role_manager,
        Role::Employee => &t.role_employee,
    }
}

/// The records that keep another one from being deleted, for example `points (3)`.
pub(crate) fn held(t: &Texts, held: Held) -> String {
    format!("{} ({})", holder(t, held.by), held.count)
}

const fn holder(t: &Texts, holder: Holder) -> &Text {
    match holder {
        Holder::Points => &t.holder_points,
        Holder::GraphicPlans => &t.holder_graphic_plans,
        Holder::TaskExecutions => &t.holder_task_executions,
        Holder::ScheduledTasks => &t.holder_scheduled_tasks,
        Holder::Users => &t.holder_users,
    }
}

/// What people call a type of points.
pub(crate) const fn point_type(t: &Texts, kind: PointType) -> &Text {
    match kind {
        PointType::Virtual => &t.place_virtual,
        PointType::Qr => &t.qr_code,
        PointType::Rfid => &t.place_rfid,
        PointType::Nfc => &t.place_nfc,
        PointType::Ble => &t.place_ble,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_says_where_pictures_come_from() {
        assert_eq!(POLICY.to_str().unwrap().matches(OWN_PICTURES).count(), 1);
    }

    #[test]
    fn only_a_path_of_this_site_is_followed() {
        for path in ["/", "/people?search=a%20b", "/guard/scan#a%2Fb"] {
            assert_eq!(own_path(path), Some(path));
        }
        for path in [
            "",
            "people",
            "//example.org",
            "///example.org",
            "/\\example.org",
            "\\/example.org",
            "https://example.org",
            "https:example.org",
            "javascript:alert(1)",
            " /guard",
            "/a\nb",
            "/\t/example.org",
            "/\u{7f}",
            "/охрана",
        ] {
            assert_eq!(own_path(path), None, "{path:?}");
        }
    }
}
