//! Finds the route of a request.

use actix_web::http::{Method, header::HeaderValue};

use super::{Page, Route};
use crate::metrics::RouteIndex;

/// The prefix of every path of the API.
const BASE: &str = "/v1";

/// The path segment for an id.
const ID: &str = "{id}";

/// All routes and pages, by path.
pub(crate) struct Table {
    paths: Vec<Path>,
    pages: Vec<Page>,
    page_allow: HeaderValue,
}

/// One path under `/v1` with its methods.
pub(super) struct Path {
    /// The whole pattern.
    pub(super) pattern: Box<str>,
    /// The pattern without `/v1`.
    path: &'static str,
    /// The index in the metrics.
    pub(super) index: RouteIndex,
    /// The value of `Allow`.
    pub(super) allow: HeaderValue,
    routes: Vec<Route>,
}

/// The result of a search.
pub(super) enum Found<'t, 'p> {
    /// A path under `/v1`, and the text of its id.
    Path(&'t Path, Option<&'p str>),
    /// A page outside, and its index in the metrics.
    Page(&'t Page, RouteIndex),
    /// An unknown path.
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
        // `{` sorts after letters, so a literal segment is tried before an id.
        paths.sort_by_key(|path| path.path);
        for (at, path) in paths.iter_mut().enumerate() {
            path.index = RouteIndex(at);
            path.allow = allow(&path.routes);
        }
        Self { paths, pages, page_allow: HeaderValue::from_static("GET, HEAD") }
    }

    /// The patterns of all paths, by their index in the metrics.
    pub(crate) fn patterns(&self) -> impl Iterator<Item = &str> {
        let paths = self.paths.iter().map(|path| path.pattern.as_ref());
        paths.chain(self.pages.iter().map(|page| page.path))
    }

    /// The value of `Allow` for pages.
    pub(super) const fn page_allow(&self) -> &HeaderValue {
        &self.page_allow
    }

    /// Finds the path, for any method.
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

    /// Whether `path` matches the pattern, with the text in the place of the id.
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

    /// Whether responses must not be cached.
    pub(super) fn is_no_store(&self) -> bool {
        self.routes.iter().any(|route| route.style.no_store)
    }

    /// The route for this method. HEAD uses the route for GET.
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
    // Method names are always valid header values.
    HeaderValue::try_from(methods.join(", ")).unwrap_or_else(|_| HeaderValue::from_static(""))
}
