//! Pages outside `/v1`, which need no token: health, metrics, documentation.

use std::{future::Future, rc::Rc};

use actix_web::HttpRequest;

use super::{Answer, Shared, Working};

/// A handler of a page, with the type erased.
type PageHandler = Box<dyn Fn(PageContext) -> Working + Send + Sync>;

/// A path outside `/v1` for GET and HEAD.
pub(crate) struct Page {
    pub(super) path: &'static str,
    pub(super) tree: bool,
    pub(super) handler: PageHandler,
}

/// A request for a page.
pub(crate) struct PageContext {
    pub(crate) request: HttpRequest,
    /// The state of the server.
    pub(crate) shared: Rc<Shared>,
}

impl Page {
    /// A page at exactly `path`.
    pub(crate) fn new<H, F>(path: &'static str, handler: H) -> Self
    where
        H: Fn(PageContext) -> F + Send + Sync + 'static,
        F: Future<Output = Answer> + 'static,
    {
        Self { path, tree: false, handler: Box::new(move |context| Box::pin(handler(context))) }
    }

    /// Pages at `path` and everything below it. The handler returns `not.found` for missing pages.
    pub(crate) fn tree<H, F>(path: &'static str, handler: H) -> Self
    where
        H: Fn(PageContext) -> F + Send + Sync + 'static,
        F: Future<Output = Answer> + 'static,
    {
        Self { tree: true, ..Self::new(path, handler) }
    }
}
