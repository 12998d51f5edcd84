//! Registers resources outside `/v1`: health, metrics and documentation, which need no token, and the
//! pages of the site.

use std::rc::Rc;

use actix_web::{
    FromRequest, Handler, Resource,
    http::{Method, header::HeaderValue},
    middleware::from_fn,
    web::{self, ServiceConfig},
};

use super::{
    api::{route, wrap_resource},
    table::RouteTable,
};
use crate::{
    error::HandlerResult,
    middleware::{ResourceProperties, enter_resource},
    page::SiteResource,
};

/// Registers resources outside `/v1`.
pub(crate) struct PublicResources<'a> {
    app: &'a mut ServiceConfig,
    table: &'a mut RouteTable,
}

impl<'a> PublicResources<'a> {
    pub(crate) const fn new(app: &'a mut ServiceConfig, table: &'a mut RouteTable) -> Self {
        Self { app, table }
    }

    /// Registers the handler of GET and HEAD at `path`.
    pub(crate) fn resource<H, Args>(&mut self, path: &'static str, handler: H)
    where
        H: Handler<Args, Output = HandlerResult>,
        Args: FromRequest + 'static,
    {
        self.register(path, web::resource(path), handler);
    }

    /// Registers the handler of GET and HEAD at `path` and all paths below. The handler returns
    /// `not.found` for unknown paths.
    pub(crate) fn tree<H, Args>(&mut self, path: &'static str, handler: H)
    where
        H: Handler<Args, Output = HandlerResult>,
        Args: FromRequest + 'static,
    {
        let all = [path.to_owned(), format!("{path}/{{below:.*}}")];
        self.register(path, web::resource(all), handler);
    }

    /// Registers a resource of the site, which answers all methods.
    pub(crate) fn site_resource(
        &mut self,
        SiteResource { pattern, resource, is_page }: SiteResource,
    ) {
        let index = self.table.add(pattern.to_owned(), Vec::new());
        let no_store = !is_page;
        let properties = ResourceProperties { is_page, no_store, ..ResourceProperties::of(index) };
        let properties = Rc::new(properties);
        self.app.service(resource.wrap(from_fn(move |request, next| {
            enter_resource(Rc::clone(&properties), request, next)
        })));
    }

    fn register<H, Args>(&mut self, pattern: &str, resource: Resource, handler: H)
    where
        H: Handler<Args, Output = HandlerResult>,
        Args: FromRequest + 'static,
    {
        let index = self.table.add(pattern.to_owned(), Vec::new());
        let resource = resource.route(route(Method::GET, handler));
        let properties = ResourceProperties {
            is_exempt_from_connection_limit: true,
            ..ResourceProperties::of(index)
        };
        let allow = HeaderValue::from_static("GET, HEAD");
        self.app.service(wrap_resource(resource, allow, properties));
    }
}
