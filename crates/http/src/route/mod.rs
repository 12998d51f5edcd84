//! The route table, and what happens before and after a handler.

mod answer;
mod call;
mod check;
mod manners;
mod page;
mod pipeline;
mod table;

use std::{future::Future, pin::Pin};

use actix_web::{HttpResponse, http::Method};
use bytes::Bytes;
use patrol_application::Operation;
use patrol_domain::access::Caller;
use patrol_json::{
    document::{self, Json},
    fields::{self, Fields},
};

pub(crate) use call::Call;
pub(crate) use manners::{Body, IdFault, Manners, MediaFault, RuleFault, Several};
pub(crate) use page::{Page, Visit};
pub(crate) use pipeline::{Shared, app};
pub(crate) use table::Table;

use crate::error::{ApiError, Code};

/// What a handler gives.
pub(crate) type Answer = Result<HttpResponse, ApiError>;

/// An answer that is being worked out.
type Working = Pin<Box<dyn Future<Output = Answer>>>;

/// Whether the caller may do what this body asks for. It is asked before the types of the members
/// are looked at, so that it has to judge them whatever they are (decisions 1).
type Judge = fn(Caller, &Json<'_>) -> bool;

/// Looks at the body and calls the handler, whose type is forgotten.
type Endpoint = Box<dyn Fn(Call, Bytes) -> Result<Working, ApiError> + Send + Sync>;

/// One method of one path under `/v1`. It cannot be made without an [`Operation`], and its handler
/// is called by the pipeline alone, which asks for permission first.
///
/// `path` is what follows `/v1`; a segment `{id}` stands for a UUID.
pub(crate) struct Route {
    method: Method,
    path: &'static str,
    operation: Operation,
    manners: Manners,
    endpoint: Endpoint,
}

impl Route {
    /// Its method.
    #[cfg(test)]
    pub(crate) const fn method(&self) -> &Method {
        &self.method
    }

    /// A route that is met by GET and HEAD.
    pub(crate) fn get<H, F>(
        path: &'static str,
        operation: Operation,
        manners: Manners,
        handler: H,
    ) -> Self
    where
        H: Fn(Call) -> F + Send + Sync + 'static,
        F: Future<Output = Answer> + 'static,
    {
        Self::plain(Method::GET, path, operation, manners, handler)
    }

    /// A route that is met by DELETE.
    pub(crate) fn delete<H, F>(
        path: &'static str,
        operation: Operation,
        manners: Manners,
        handler: H,
    ) -> Self
    where
        H: Fn(Call) -> F + Send + Sync + 'static,
        F: Future<Output = Answer> + 'static,
    {
        Self::plain(Method::DELETE, path, operation, manners, handler)
    }

    fn plain<H, F>(
        method: Method,
        path: &'static str,
        operation: Operation,
        manners: Manners,
        handler: H,
    ) -> Self
    where
        H: Fn(Call) -> F + Send + Sync + 'static,
        F: Future<Output = Answer> + 'static,
    {
        let endpoint: Endpoint = Box::new(move |call, _| Ok(Box::pin(handler(call))));
        let manners = Manners { body: Body::Ignored, ..manners };
        Self { method, path, operation, manners, endpoint }
    }

    /// A route that is met by `method` and takes a JSON object. `judge`, if there is one, says whether
    /// the caller may do it with this body; `read` says which members it has, and of which types. The
    /// handler runs only when it may and none is of another.
    pub(crate) fn json<T, H, F>(
        method: Method,
        path: &'static str,
        operation: Operation,
        manners: Manners,
        judge: Option<Judge>,
        read: fn(&mut Fields<'_>) -> T,
        handler: H,
    ) -> Self
    where
        T: 'static,
        H: Fn(Call, T) -> F + Send + Sync + 'static,
        F: Future<Output = Answer> + 'static,
    {
        let several = manners.several;
        let endpoint: Endpoint = Box::new(move |call, bytes| {
            let document = document::parse(&bytes, call.settings().nesting)
                .map_err(|_| ApiError::from(Code::InputInvalid))?;
            check::is_one(&document, several)?;
            check::allow(call.caller(), judge, &document)?;
            let body = fields::object(&document, read).map_err(ApiError::types)?;
            Ok(Box::pin(handler(call, body)))
        });
        Self { method, path, operation, manners, endpoint }
    }
}

/// All routes under `/v1`: the only place where they are registered.
pub(crate) fn routes() -> Vec<Route> {
    let mut routes = crate::task_execution::routes();
    routes.extend(crate::series::routes());
    routes.extend(crate::access::routes());
    routes
}

/// All pages outside `/v1`.
pub(crate) fn pages() -> Vec<Page> {
    let mut pages = crate::health::pages();
    pages.extend(crate::metrics::pages());
    pages.extend(crate::openapi::pages());
    pages
}

#[cfg(test)]
mod tests;
