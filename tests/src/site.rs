//! A client of the web site: a browser without JavaScript.

use std::collections::BTreeMap;

use reqwest::{
    Method,
    blocking::{Client, Response},
    redirect::Policy,
};

use crate::{client::http, form::Form};

/// A browser with its cookies. Follows no redirection.
#[derive(Clone, Debug)]
pub struct SiteClient {
    http: Client,
    root: String,
    cookies: BTreeMap<String, String>,
    headers: Vec<(String, String)>,
}

/// A page, or another answer.
#[derive(Clone, Debug)]
pub struct Page {
    /// The status.
    pub status: u16,
    /// The headers, in lower case.
    pub headers: Vec<(String, String)>,
    /// The text of the page.
    pub text: String,
}

impl SiteClient {
    /// A browser of the site at this address, without cookies.
    ///
    /// # Panics
    /// When there are no resources for a client.
    #[must_use]
    pub fn new(address: &str) -> Self {
        let http = http().timeout(None).redirect(Policy::none());
        let http = http.build().expect("a client");
        let root = format!("http://{address}");
        Self { http, root, cookies: BTreeMap::new(), headers: Vec::new() }
    }

    /// This browser, with one more header in each request.
    #[must_use]
    pub fn with(&self, name: &str, value: &str) -> Self {
        let mut with = self.clone();
        with.headers.push((name.to_owned(), value.to_owned()));
        with
    }

    /// The same browser at another node.
    #[must_use]
    pub fn at(&self, address: &str) -> Self {
        Self { root: format!("http://{address}"), ..self.clone() }
    }

    /// A cookie.
    #[must_use]
    pub fn cookie(&self, name: &str) -> Option<&str> {
        self.cookies.get(name).map(String::as_str)
    }

    /// Sets a cookie, as an attacker or another tab would.
    pub fn set_cookie(&mut self, name: &str, value: &str) {
        self.cookies.insert(name.to_owned(), value.to_owned());
    }

    /// GET of a page.
    pub fn get(&mut self, path: &str) -> Page {
        self.send(Method::GET, path, None)
    }

    /// GET of a page that has to be there.
    ///
    /// # Panics
    /// When its status is not 200.
    pub fn open(&mut self, path: &str) -> Page {
        let page = self.get(path);
        assert_eq!(page.status, 200, "{path}: {}", page.text);
        page
    }

    /// POST of a form of this page, with its hidden token.
    pub fn submit(&mut self, page: &Page, path: &str, fields: &[(&str, &str)]) -> Page {
        let token = page.hidden("token");
        let mut all = vec![("token", token.as_str())];
        all.extend_from_slice(fields);
        self.post(path, &all)
    }

    /// POST of these fields, and no others.
    pub fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Page {
        let fields = fields.iter().map(|(name, value)| format!("{name}={}", encoded(value)));
        let body = fields.collect::<Vec<_>>().join("&");
        let body = ("application/x-www-form-urlencoded".to_owned(), body.into_bytes());
        self.send(Method::POST, path, Some(body))
    }

    /// POST of a form of this page that may have a file, with its hidden token.
    pub fn submit_file(&mut self, page: &Page, path: &str, form: Form) -> Page {
        let form = form.field("token", &page.hidden("token"));
        self.send(Method::POST, path, Some((form.content_type(), form.body())))
    }

    /// Fills in the form of the sign-in page.
    pub fn sign_in(&mut self, name: &str, password: &str) -> Page {
        let form = self.open("/sign-in");
        self.submit(&form, "/sign-in", &[("name", name), ("password", password)])
    }

    /// This browser, signed in.
    ///
    /// # Panics
    /// When the sign-in fails.
    #[must_use]
    pub fn signed_in(mut self, name: &str, password: &str) -> Self {
        let page = self.sign_in(name, password);
        let leads_on = matches!(page.header("location"), Some("/rounds" | "/guard"));
        assert!(page.status == 303 && leads_on, "{}", page.text);
        self
    }

    fn send(&mut self, method: Method, path: &str, body: Option<(String, Vec<u8>)>) -> Page {
        let mut request = self.http.request(method, format!("{}{path}", self.root));
        if !self.cookies.is_empty() {
            let cookies = self.cookies.iter().map(|(name, value)| format!("{name}={value}"));
            request = request.header("Cookie", cookies.collect::<Vec<_>>().join("; "));
        }
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        if let Some((kind, body)) = body {
            request = request.header("Content-Type", kind).body(body);
        }
        let page = Page::of(request.send().expect("the server answers"));
        for cookie in page.all("set-cookie") {
            let pair = cookie.split(';').next().expect("a pair");
            let (name, value) = pair.split_once('=').expect("a name and a value");
            if cookie.contains("Max-Age=0") {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        page
    }
}

impl Page {
    fn of(response: Response) -> Self {
        let status = response.status().as_u16();
        let headers = response.headers().iter().map(|(name, value)| {
            (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        });
        let headers = headers.collect();
        Self { status, headers, text: response.text().expect("a whole answer") }
    }

    /// A header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// All values of a header.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.headers.iter().filter(move |(of, _)| of == name).map(|(_, value)| value.as_str())
    }

    /// The value of a field, also of a hidden one.
    ///
    /// # Panics
    /// When the page has no such field.
    #[must_use]
    pub fn hidden(&self, name: &str) -> String {
        let field = format!("name=\"{name}\" value=\"");
        let (_, rest) = self.text.split_once(&field).unwrap_or_else(|| {
            panic!("the page has no field {name}:\n{}", self.text);
        });
        rest.split('"').next().expect("the end of the value").to_owned()
    }

    /// The value of the element with this id.
    ///
    /// # Panics
    /// When the page has no such element.
    #[must_use]
    pub fn value_of(&self, id: &str) -> String {
        let (_, rest) = self.text.split_once(&format!("id=\"{id}\"")).expect("the element");
        let (_, rest) = rest.split_once("value=\"").expect("its value");
        rest.split('"').next().expect("the end of the value").to_owned()
    }

    /// Checks that the form was refused with this reason.
    ///
    /// # Panics
    /// When it was not.
    pub fn refused(&self, why: &str) {
        assert_eq!(self.status, 422, "{}", self.text);
        assert!(self.text.contains(&format!("role=\"alert\">{why}")), "{}", self.text);
    }

    /// Checks that the answer leads to this path.
    ///
    /// # Panics
    /// When it does not.
    pub fn leads_to(&self, path: &str) {
        assert_eq!((self.status, self.header("location")), (303, Some(path)), "{}", self.text);
    }
}

/// A text in the form of a URL-encoded form.
fn encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    text.bytes().map(byte).collect()
}
