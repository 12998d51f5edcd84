//! Registers the resources of the API.

use std::rc::Rc;

use actix_web::{
    FromRequest, Handler, Resource, Route,
    dev::HttpServiceFactory,
    guard::fn_guard,
    http::{Method, header::HeaderValue},
    middleware::from_fn,
    web::{self, ServiceConfig},
};
use patrol_application::Operation;

use super::{
    call::{Call, CheckedExtractor},
    endpoint::Endpoint,
    table::{RouteEntry, RouteTable},
};
use crate::{
    api_path::BASE,
    error::HandlerResult,
    idempotency::is_repeated,
    middleware::{ResourceProperties, enter_resource, method_not_allowed},
    reply,
};

/// The scope of the API. Unlike actix-web's `ServiceConfig`, it accepts only resources whose
/// handlers check the token and the permission, and adds them to the table of routes.
pub(crate) struct Api<'a> {
    scope: &'a mut ServiceConfig,
    table: &'a mut RouteTable,
}

impl<'a> Api<'a> {
    pub(crate) const fn new(scope: &'a mut ServiceConfig, table: &'a mut RouteTable) -> Self {
        Self { scope, table }
    }

    /// Registers a resource. Resources are tried in the order of registration, so `/points/history`
    /// comes before `/points/{id}`.
    pub(crate) fn service(&mut self, resource: ApiResource) -> &mut Self {
        let ApiResource { path, inner, routes, no_store } = resource;
        let allow = allow(routes.iter().map(|route| &route.method));
        // A session has pages of its own for tokens.
        let is_of_tokens = |route: &RouteEntry| route.endpoint.operation == Operation::ManageTokens;
        let properties = ResourceProperties {
            no_store,
            needs_token: routes.iter().any(is_of_tokens),
            routes: routes.clone(),
            ..ResourceProperties::of(self.table.add(format!("{BASE}{path}"), routes))
        };
        self.scope.service(wrap_resource(inner, allow, properties));
        self
    }
}

/// A path of the API with its methods.
pub(crate) struct ApiResource {
    path: String,
    inner: Resource,
    routes: Vec<RouteEntry>,
    no_store: bool,
}

/// The resource at `path`, which follows `/v1`; a segment `{id}` stands for a UUID.
pub(crate) fn api_resource(path: impl Into<String>) -> ApiResource {
    let path = path.into();
    let inner = web::resource(path.as_str());
    ApiResource { path, inner, routes: Vec::new(), no_store: false }
}

/// The handler of a repeated request with an `Idempotency-Key`, when the change of the first request was
/// stored and its answer was not. It returns the record as it is now, with the status of the first
/// handler.
pub(crate) struct Repeated<H>(pub(crate) H);

/// Declares methods of [`ApiResource`] like those of actix-web's resource.
macro_rules! methods {
    ($($(#[$doc:meta])* $name:ident $method:ident,)*) => {$(
        $(#[$doc])*
        pub(crate) fn $name<H, C, R, D>(
            self,
            endpoint: impl Into<Endpoint>,
            handler: H,
            Repeated(repeated): Repeated<R>,
        ) -> Self
        where
            H: Handler<(C,), Output = HandlerResult>,
            C: CheckedExtractor,
            R: Handler<(D,), Output = HandlerResult>,
            D: CheckedExtractor,
        {
            self.repeated(Method::$method, repeated).route(Method::$method, endpoint.into(), handler)
        }
    )*};
}

impl ApiResource {
    /// Responses must not be cached, unless the handler sets `Cache-Control` itself.
    pub(crate) fn no_store(self) -> Self {
        Self { no_store: true, ..self }
    }

    methods! {
        /// The endpoint and the handlers of POST.
        post POST,
        /// The endpoint and the handlers of PUT.
        put PUT,
        /// The endpoint and the handlers of PATCH.
        patch PATCH,
    }

    /// The endpoint and the handler of GET and HEAD.
    pub(crate) fn get<H, C>(self, endpoint: impl Into<Endpoint>, handler: H) -> Self
    where
        H: Handler<(C,), Output = HandlerResult>,
        C: CheckedExtractor,
    {
        self.route(Method::GET, endpoint.into(), handler)
    }

    /// The endpoint and the handler of DELETE. A repeated request gets 204 too.
    pub(crate) fn delete<H, C>(self, endpoint: impl Into<Endpoint>, handler: H) -> Self
    where
        H: Handler<(C,), Output = HandlerResult>,
        C: CheckedExtractor,
    {
        let repeated = async |_: Call| HandlerResult::Ok(reply::no_content());
        self.repeated(Method::DELETE, repeated).route(Method::DELETE, endpoint.into(), handler)
    }

    /// Registers the handler of a repeated request. Its guard matches when the middleware of the
    /// resource, which runs before the guards of its routes, has added a
    /// [`ChangedBefore`](crate::idempotency::ChangedBefore).
    fn repeated<R, D>(self, method: Method, handler: R) -> Self
    where
        R: Handler<(D,), Output = HandlerResult>,
        D: CheckedExtractor,
    {
        let route = route(method, handler).guard(fn_guard(is_repeated));
        Self { inner: self.inner.route(route), ..self }
    }

    fn route<H, C>(mut self, method: Method, endpoint: Endpoint, handler: H) -> Self
    where
        H: Handler<(C,), Output = HandlerResult>,
        C: CheckedExtractor,
    {
        self.routes.push(RouteEntry { method: method.clone(), endpoint, body: C::BODY });
        Self { inner: self.inner.route(route(method, handler)), ..self }
    }
}

/// The route of one method; GET answers HEAD too.
pub(super) fn route<H, Args>(method: Method, handler: H) -> Route
where
    H: Handler<Args, Output = HandlerResult>,
    Args: FromRequest + 'static,
{
    let guard = fn_guard(move |context| {
        let given = &context.head().method;
        *given == method || (*given == Method::HEAD && method == Method::GET)
    });
    web::route().guard(guard).to(handler)
}

/// Adds the checks and the errors of every resource.
pub(super) fn wrap_resource(
    resource: Resource,
    allow: HeaderValue,
    properties: ResourceProperties,
) -> impl HttpServiceFactory + 'static {
    let properties = Rc::new(properties);
    resource
        .default_service(web::to(move || method_not_allowed(allow.clone())))
        .wrap(from_fn(move |request, next| enter_resource(Rc::clone(&properties), request, next)))
}

/// The value of `Allow` for a resource with these methods.
fn allow<'a>(methods: impl Iterator<Item = &'a Method>) -> HeaderValue {
    let mut names = Vec::new();
    for method in methods {
        names.push(method.as_str());
        if *method == Method::GET {
            names.push(Method::HEAD.as_str());
        }
    }
    // Method names are always valid header values.
    HeaderValue::try_from(names.join(", ")).unwrap_or_else(|_| HeaderValue::from_static(""))
}
