//! What is served outside `/v1`, without a token: health, metrics, documentation.

use std::{future::Future, rc::Rc};

use actix_web::HttpRequest;

use super::{Answer, Shared, Working};

/// A handler of pages whose type is forgotten.
type PageHandler = Box<dyn Fn(PageContext) -> Working + Send + Sync>;

/// A path outside `/v1` that is met by GET and HEAD.
pub(crate) struct Page {
    pub(super) path: &'static str,
    pub(super) tree: bool,
    pub(super) handler: PageHandler,
}

/// A request for a page.
pub(crate) struct PageContext {
    /// The request.
    pub(crate) request: HttpRequest,
    /// What the server holds.
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

    /// Pages at `path` and at everything below it. What is not there the handler answers with
    /// `not.found`.
    pub(crate) fn tree<H, F>(path: &'static str, handler: H) -> Self
    where
        H: Fn(PageContext) -> F + Send + Sync + 'static,
        F: Future<Output = Answer> + 'static,
    {
        Self { tree: true, ..Self::new(path, handler) }
    }
}
