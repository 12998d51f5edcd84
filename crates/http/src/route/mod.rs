//! The route table, and the pipeline around handlers.

mod answer;
mod call;
mod check;
mod page;
mod pipeline;
mod table;

use std::{future::Future, pin::Pin};

use actix_web::{HttpResponse, http::Method};
use bytes::Bytes;
use patrol_application::Operation;
use patrol_json::{
    document::{self, Json},
    fields::{self, Fields, Lenient},
};

pub(crate) use call::Call;
pub(crate) use page::{Page, PageContext};
pub(crate) use pipeline::{Shared, app};
pub(crate) use table::Table;

pub(crate) use crate::fault_style::{Body, BodyFault, FaultStyle, IdFault, RuleFault, Several};
use crate::{error::ApiError, form, ignored};

/// The result of a handler.
pub(crate) type Answer = Result<HttpResponse, ApiError>;

/// A pending response.
type Working = Pin<Box<dyn Future<Output = Answer>>>;

/// Whether the caller may send this body. Called before the types of the members are checked, so it
/// has to work for any types.
type BodyGuard = fn(&Call, &Json<'_>) -> bool;

/// Reads the body and calls the handler, with the type erased.
type Endpoint = Box<dyn Fn(Call, Bytes) -> Result<Working, ApiError> + Send + Sync>;

/// One method of one path under `/v1`. It needs an [`Operation`], and only the pipeline calls its
/// handler, after a check of the permission.
///
/// `path` follows `/v1`; a segment `{id}` stands for a UUID.
pub(crate) struct Route {
    method: Method,
    path: &'static str,
    operation: Operation,
    style: FaultStyle,
    /// Whether it has this query parameter.
    knows: fn(&str) -> bool,
    endpoint: Endpoint,
}

impl Route {
    pub(crate) const fn method(&self) -> &Method {
        &self.method
    }

    /// The operation that the caller needs permission for.
    pub(crate) const fn operation(&self) -> Operation {
        self.operation
    }

    /// How it reports faults of a request.
    pub(crate) const fn style(&self) -> &FaultStyle {
        &self.style
    }

    /// A route for GET and HEAD.
    pub(crate) fn get<H, F>(
        path: &'static str,
        operation: Operation,
        style: FaultStyle,
        handler: H,
    ) -> Self
    where
        H: Fn(Call) -> F + Send + Sync + 'static,
        F: Future<Output = Answer> + 'static,
    {
        Self::plain(Method::GET, path, operation, style, handler)
    }

    /// A route for DELETE.
    pub(crate) fn delete<H, F>(
        path: &'static str,
        operation: Operation,
        style: FaultStyle,
        handler: H,
    ) -> Self
    where
        H: Fn(Call) -> F + Send + Sync + 'static,
        F: Future<Output = Answer> + 'static,
    {
        Self::plain(Method::DELETE, path, operation, style, handler)
    }

    fn plain<H, F>(
        method: Method,
        path: &'static str,
        operation: Operation,
        style: FaultStyle,
        handler: H,
    ) -> Self
    where
        H: Fn(Call) -> F + Send + Sync + 'static,
        F: Future<Output = Answer> + 'static,
    {
        let endpoint: Endpoint = Box::new(move |call, _| Ok(Box::pin(handler(call))));
        let style = FaultStyle { body: Body::Ignored, ..style };
        Self { method, path, operation, style, knows: no_parameter, endpoint }
    }

    /// Sets the known query parameters; by default a route has none.
    pub(crate) fn with_parameters(self, knows: fn(&str) -> bool) -> Self {
        Self { knows, ..self }
    }

    /// A route for `method` with a JSON object. `guard`, if given, checks whether the caller may
    /// send this body; `read` reads the members and checks their types. The handler runs only when
    /// both succeed.
    pub(crate) fn json<T, H, F>(
        method: Method,
        path: &'static str,
        operation: Operation,
        style: FaultStyle,
        guard: Option<BodyGuard>,
        read: fn(&mut Fields<'_>) -> T,
        handler: H,
    ) -> Self
    where
        T: 'static,
        H: Fn(Call, T) -> F + Send + Sync + 'static,
        F: Future<Output = Answer> + 'static,
    {
        let style = FaultStyle { body: Body::Json, ..style };
        let read = move |document: &Json<'_>| fields::lenient_object(document, ignored::MOST, read);
        Self::document(method, path, operation, style, guard, read, handler)
    }

    /// A route for POST with a JSON array of objects, each read by `read`; otherwise like
    /// [`Self::json`]. The handler gets at most `most` of them, and one more when there are more.
    pub(crate) fn batch<T, H, F>(
        path: &'static str,
        operation: Operation,
        style: FaultStyle,
        most: usize,
        guard: Option<BodyGuard>,
        read: fn(&mut Fields<'_>) -> T,
        handler: H,
    ) -> Self
    where
        T: 'static,
        H: Fn(Call, Vec<T>) -> F + Send + Sync + 'static,
        F: Future<Output = Answer> + 'static,
    {
        let style = FaultStyle { body: Body::Batch, ..style };
        let most = most.saturating_add(1);
        let read =
            move |document: &Json<'_>| fields::lenient_objects(document, most, ignored::MOST, read);
        Self::document(Method::POST, path, operation, style, guard, read, handler)
    }

    fn document<T, H, F>(
        method: Method,
        path: &'static str,
        operation: Operation,
        style: FaultStyle,
        guard: Option<BodyGuard>,
        read: impl Fn(&Json<'_>) -> Lenient<T> + Send + Sync + 'static,
        handler: H,
    ) -> Self
    where
        H: Fn(Call, T) -> F + Send + Sync + 'static,
        F: Future<Output = Answer> + 'static,
    {
        let FaultStyle { several, syntax, .. } = style;
        let endpoint: Endpoint = Box::new(move |call, bytes| {
            let document = document::parse(&bytes, call.settings().nesting)
                .map_err(|malformed| check::unread(&malformed, syntax))?;
            check::is_one(&document, several)?;
            check::allow(&call, guard, &document)?;
            let Lenient { value, unknown } = read(&document);
            ignored::note(&call.request, unknown);
            let body = value.map_err(ApiError::types)?;
            Ok(Box::pin(handler(call, body)))
        });
        Self { method, path, operation, style, knows: no_parameter, endpoint }
    }

    /// A route for POST of a form with a photo in the part `name`. The handler gets the content of
    /// this part, or `None` when it is missing.
    pub(crate) fn photo<H, F>(
        path: &'static str,
        operation: Operation,
        style: FaultStyle,
        name: &'static str,
        handler: H,
    ) -> Self
    where
        H: Fn(Call, Option<Vec<u8>>) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Answer> + 'static,
    {
        let style = FaultStyle { body: Body::Form, ..style };
        let endpoint: Endpoint = Box::new(move |call, bytes| {
            let handler = handler.clone();
            Ok(Box::pin(async move {
                let most = call.settings().photo_limit;
                let photo = form::part(call.request.headers(), bytes, name, most).await?;
                handler(call, photo).await
            }))
        });
        Self { method: Method::POST, path, operation, style, knows: no_parameter, endpoint }
    }
}

const fn no_parameter(_: &str) -> bool {
    false
}

#[cfg(test)]
mod tests;
