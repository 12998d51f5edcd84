//! Registers the resources of the API.

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
    middleware::{ChangeBodies, ResourceProperties, enter_resource, method_not_allowed},
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
        let allow = allow(routes.iter().map(RouteEntry::method));
        let bodies = routes.iter().map(|route| (route.method(), route.body()));
        let change_bodies = ChangeBodies::of(bodies);
        // A session has pages of its own for tokens.
        let needs_token = routes.iter().any(|route| route.operation() == Operation::ManageTokens);
        let index = self.table.add(format!("{BASE}{path}"), routes);
        let properties = ResourceProperties {
            index,
            no_store,
            needs_token,
            is_exempt_from_connection_limit: false,
            is_page: false,
            change_bodies,
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
        pub(crate) fn $name<H, C, R, D>(self, handler: H, Repeated(repeated): Repeated<R>) -> Self
        where
            H: Handler<(C,), Output = HandlerResult>,
            C: CheckedExtractor,
            R: Handler<(D,), Output = HandlerResult>,
            D: CheckedExtractor,
        {
            self.repeated(Method::$method, repeated).route(Method::$method, handler)
        }
    )*};
}

impl ApiResource {
    /// Responses must not be cached, unless the handler sets `Cache-Control` itself.
    pub(crate) fn no_store(self) -> Self {
        Self { no_store: true, ..self }
    }

    methods! {
        /// The handlers of POST.
        post POST,
        /// The handlers of PUT.
        put PUT,
        /// The handlers of PATCH.
        patch PATCH,
    }

    /// The handler of GET and HEAD.
    pub(crate) fn get<H, C>(self, handler: H) -> Self
    where
        H: Handler<(C,), Output = HandlerResult>,
        C: CheckedExtractor,
    {
        self.route(Method::GET, handler)
    }

    /// The handler of DELETE. A repeated request gets 204 too.
    pub(crate) fn delete<H, C>(self, handler: H) -> Self
    where
        H: Handler<(C,), Output = HandlerResult>,
        C: CheckedExtractor,
    {
        let repeated = async |_: Call<C::Endpoint>| HandlerResult::Ok(reply::no_content());
        self.repeated(Method::DELETE, repeated).route(Method::DELETE, handler)
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

    fn route<H, C>(mut self, method: Method, handler: H) -> Self
    where
        H: Handler<(C,), Output = HandlerResult>,
        C: CheckedExtractor,
    {
        let (operation, style) = (C::Endpoint::OPERATION, C::Endpoint::FAULTS);
        self.routes.push(RouteEntry::new(method.clone(), operation, C::BODY, style));
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
    resource
        .default_service(web::to(move || method_not_allowed(allow.clone())))
        .wrap(from_fn(move |request, next| enter_resource(properties, request, next)))
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
