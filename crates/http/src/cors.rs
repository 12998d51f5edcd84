//! CORS: which pages of other origins may call the API from a browser (Fetch Standard 3.3).
//!
//! Tokens are sent in `Authorization`, never in cookies, so credentials are not allowed.

use std::str::FromStr;

use actix_web::{
    HttpRequest, HttpResponse,
    dev::ServiceRequest,
    http::{
        Method,
        header::{
            ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
            ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE,
            ACCESS_CONTROL_REQUEST_METHOD, HeaderMap, HeaderValue, ORIGIN, VARY,
        },
    },
};

use crate::api_path::is_api;

/// The headers that a page may send.
const REQUEST_HEADERS: HeaderValue = HeaderValue::from_static(
    "authorization, content-type, idempotency-key, if-match, if-none-match, accept-language, \
     x-request-id",
);

/// The headers that a page may read.
const EXPOSED_HEADERS: HeaderValue = HeaderValue::from_static(
    "ETag, Location, Retry-After, X-Request-Id, Idempotency-Replayed, Patrol-Ignored",
);

/// All methods of the API.
const METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, POST, PUT, PATCH, DELETE");

/// How long a browser may use the answer to a preflight request, in seconds: the setting changes
/// seldom, and without this browsers ask again every five seconds.
const MAX_AGE: HeaderValue = HeaderValue::from_static("3600");

/// The origins whose pages may call the API.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AllowedOrigins(Vec<HeaderValue>);

impl AllowedOrigins {
    /// The answer to a preflight request of an allowed origin. It is the same for every path of the
    /// API and needs no token: browsers send none.
    pub(crate) fn preflight(&self, request: &ServiceRequest) -> Option<HttpResponse> {
        let asked = request.method() == Method::OPTIONS
            && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD)
            && self.applies_to(request.request())
            && self.origin(request.headers()).is_some();
        asked.then(|| {
            HttpResponse::NoContent()
                .insert_header((ACCESS_CONTROL_ALLOW_METHODS, METHODS))
                .insert_header((ACCESS_CONTROL_ALLOW_HEADERS, REQUEST_HEADERS))
                .insert_header((ACCESS_CONTROL_MAX_AGE, MAX_AGE))
                .finish()
        })
    }

    /// Adds the headers of CORS to any answer of the API, errors included: without them a page could
    /// not even read the status.
    pub(crate) fn mark(&self, request: &HttpRequest, answer: &mut HeaderMap) {
        if !self.applies_to(request) {
            return;
        }
        vary_by_origin(answer);
        if let Some(origin) = self.origin(request.headers()) {
            answer.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
            if !answer.contains_key(ACCESS_CONTROL_ALLOW_METHODS) {
                answer.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED_HEADERS);
            }
        }
    }

    /// Whether origins are configured and the path belongs to the API.
    fn applies_to(&self, request: &HttpRequest) -> bool {
        !self.0.is_empty() && is_api(request)
    }

    /// The allowed origin of this request.
    fn origin(&self, headers: &HeaderMap) -> Option<&HeaderValue> {
        let mut sent = headers.get_all(ORIGIN);
        let (Some(origin), None) = (sent.next(), sent.next()) else { return None };
        self.0.iter().find(|allowed| *allowed == origin)
    }
}

/// A cache must not give the answer for one origin to another one.
fn vary_by_origin(answer: &mut HeaderMap) {
    let known = answer.get(VARY).and_then(|known| known.to_str().ok());
    let joined = known.and_then(|known| HeaderValue::try_from(format!("{known}, Origin")).ok());
    answer.insert(VARY, joined.unwrap_or_else(|| HeaderValue::from_static("Origin")));
}

/// Parses origins, separated by commas, such as `https://app.example.org`. An empty text allows
/// none.
impl FromStr for AllowedOrigins {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let header = |one: &str| {
            let origin = origin(one.trim())?;
            HeaderValue::try_from(origin).map_err(|error| error.to_string())
        };
        text.split(',').map(header).collect::<Result<_, _>>().map(Self)
    }
}

/// An origin as browsers send it: in lower case, and without the default port.
///
/// # Errors
/// A sentence for the operator, when the text has another form.
pub fn origin(text: &str) -> Result<String, String> {
    if text.contains('*') {
        return Err(format!(
            "`{text}` is refused, because any page could then call the API; name each origin, such \
             as `https://app.example.org`"
        ));
    }
    let parts = || {
        let (scheme, rest) = text.split_once("://")?;
        let colon = rest.rfind(':').filter(|colon| !rest.get(*colon..).unwrap_or("").contains(']'));
        let (host, port) = colon
            .map_or((rest, None), |colon| (rest.get(..colon).unwrap_or(""), rest.get(colon + 1..)));
        Some((scheme.to_ascii_lowercase(), host.to_ascii_lowercase(), port))
    };
    let wrong = || {
        format!(
            "`{text}` is not an origin, such as `https://app.example.org` or \
             `http://localhost:3000`: a scheme, a host, and a port if it is not the default one, \
             without a path"
        )
    };
    let (scheme, host, port) = parts().ok_or_else(wrong)?;
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_lowercase())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    let port: Option<u16> = port.map(str::parse).transpose().map_err(|_| wrong())?;
    if !is_scheme || !is_host(&host) || port == Some(0) {
        return Err(wrong());
    }
    let port = port.filter(|port| !matches!((&*scheme, port), ("http", 80) | ("https", 443)));
    let port = port.map(|port| format!(":{port}")).unwrap_or_default();
    Ok(format!("{scheme}://{host}{port}"))
}

fn is_host(host: &str) -> bool {
    let address = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    match address {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => {
            let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
            !host.is_empty() && host.bytes().all(allowed)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Vec<String>, String> {
        let AllowedOrigins(origins) = text.parse()?;
        Ok(origins.iter().map(|origin| origin.to_str().unwrap().to_owned()).collect())
    }

    #[test]
    fn an_origin_is_written_as_browsers_send_it() {
        for (text, origins) in [
            ("", &[][..]),
            ("https://app.example.org", &["https://app.example.org"]),
            ("https://App.Example.org:443", &["https://app.example.org"]),
            (
                "HTTP://localhost:80, http://localhost:3000",
                &["http://localhost", "http://localhost:3000"],
            ),
            ("https://localhost:80", &["https://localhost:80"]),
            ("http://[::1]:8080,http://127.0.0.1", &["http://[::1]:8080", "http://127.0.0.1"]),
            ("capacitor://localhost", &["capacitor://localhost"]),
        ] {
            assert_eq!(parse(text).unwrap(), origins, "{text}");
        }
    }

    #[test]
    fn a_value_that_is_no_origin_is_refused() {
        for bad in [
            "null",
            "app.example.org",
            "https://",
            "https://app.example.org/",
            "https://app.example.org/path",
            "https://user@app.example.org",
            "https://app.example.org:0",
            "https://app.example.org:x",
            "https://app.example.org:",
            "https://пост.example",
            "https://a b",
            "https://[::1",
            "https://a,",
            "1s://a",
        ] {
            let error = parse(bad).unwrap_err();
            assert!(error.contains("is not an origin"), "{error}");
        }
        for bad in ["*", "https://a, *", "https://*.example.org"] {
            assert!(parse(bad).unwrap_err().contains("name each origin"), "{bad}");
        }
    }
}
