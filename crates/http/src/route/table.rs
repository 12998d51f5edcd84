//! Finding the route of a request.

use actix_web::http::{Method, header::HeaderValue};

use super::{Page, Route};
use crate::metrics::RouteIndex;

/// What stands before every path of the API.
const BASE: &str = "/v1";

/// A segment that stands for an id.
const ID: &str = "{id}";

/// All routes and pages, by path.
pub(crate) struct Table {
    paths: Vec<Path>,
    pages: Vec<Page>,
    page_allow: HeaderValue,
}

/// One path under `/v1` and what its methods do.
pub(super) struct Path {
    /// The whole pattern.
    pub(super) pattern: Box<str>,
    /// The pattern without `/v1`.
    path: &'static str,
    /// Where it is measured.
    pub(super) index: RouteIndex,
    /// The methods that it knows.
    pub(super) allow: HeaderValue,
    routes: Vec<Route>,
}

/// What a path leads to.
pub(super) enum Found<'t, 'p> {
    /// A path under `/v1`, and the text in the place of its id.
    Path(&'t Path, Option<&'p str>),
    /// A page outside, and where it is measured.
    Page(&'t Page, RouteIndex),
    /// Nothing.
    Nothing,
}

impl Table {
    /// The table of these routes and pages.
    pub(crate) fn new(routes: Vec<Route>, pages: Vec<Page>) -> Self {
        let mut paths: Vec<Path> = Vec::new();
        for route in routes {
            match paths.iter_mut().find(|path| path.path == route.path) {
                Some(path) => path.routes.push(route),
                None => paths.push(Path::new(route)),
            }
        }
        // `{` sorts after letters, so that a literal segment is tried before an id.
        paths.sort_by_key(|path| path.path);
        for (at, path) in paths.iter_mut().enumerate() {
            path.index = RouteIndex(at);
            path.allow = allow(&path.routes);
        }
        Self { paths, pages, page_allow: HeaderValue::from_static("GET, HEAD") }
    }

    /// The patterns of all paths, by their place among the metrics.
    pub(crate) fn patterns(&self) -> impl Iterator<Item = &str> {
        let paths = self.paths.iter().map(|path| path.pattern.as_ref());
        paths.chain(self.pages.iter().map(|page| page.path))
    }

    /// The methods that pages know.
    pub(super) const fn page_allow(&self) -> &HeaderValue {
        &self.page_allow
    }

    /// What this path leads to, whatever the method.
    pub(super) fn find<'t, 'p>(&'t self, whole: &'p str) -> Found<'t, 'p> {
        if let Some(path) = whole.strip_prefix(BASE) {
            for known in &self.paths {
                if let Some(id) = known.meets(path) {
                    return Found::Path(known, id);
                }
            }
        }
        let page = self.pages.iter().enumerate().find(|(_, page)| page.meets(whole));
        match page {
            Some((at, page)) => Found::Page(page, RouteIndex(self.paths.len() + at)),
            None => Found::Nothing,
        }
    }

    /// Every route, with its pattern.
    pub(crate) fn routes(&self) -> impl Iterator<Item = (&str, &Route)> {
        self.paths.iter().flat_map(|path| path.routes.iter().map(|route| (&*path.pattern, route)))
    }
}

impl Path {
    fn new(first: Route) -> Self {
        Self {
            pattern: format!("{BASE}{}", first.path).into(),
            path: first.path,
            index: RouteIndex(0),
            allow: HeaderValue::from_static(""),
            routes: vec![first],
        }
    }

    /// Whether `path` is of this form, and if so the text in the place of the id.
    fn meets<'p>(&self, path: &'p str) -> Option<Option<&'p str>> {
        let (mut known, mut given) = (self.path.split('/'), path.split('/'));
        let mut id = None;
        loop {
            match (known.next(), given.next()) {
                (None, None) => return Some(id),
                (Some(ID), Some(text)) if !text.is_empty() => id = Some(text),
                (Some(literal), Some(text)) if literal == text => {}
                _ => return None,
            }
        }
    }

    /// Whether no cache may keep what is answered here.
    pub(super) fn is_no_store(&self) -> bool {
        self.routes.iter().any(|route| route.style.no_store)
    }

    /// What this method does here. HEAD is answered wherever GET is.
    pub(super) fn route(&self, method: &Method) -> Option<&Route> {
        let wanted = if method == Method::HEAD { &Method::GET } else { method };
        self.routes.iter().find(|route| route.method == wanted)
    }
}

impl Page {
    fn meets(&self, path: &str) -> bool {
        match path.strip_prefix(self.path) {
            Some("") => true,
            Some(below) => self.tree && below.starts_with('/'),
            None => false,
        }
    }
}

fn allow(routes: &[Route]) -> HeaderValue {
    let mut methods = Vec::new();
    for route in routes {
        methods.push(route.method.as_str());
        if route.method == Method::GET {
            methods.push(Method::HEAD.as_str());
        }
    }
    // Method names are always header values.
    HeaderValue::try_from(methods.join(", ")).unwrap_or_else(|_| HeaderValue::from_static(""))
}
