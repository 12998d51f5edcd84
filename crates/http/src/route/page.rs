//! Registers pages outside `/v1`, which need no token: health, metrics, documentation.

use actix_web::{
    FromRequest, Handler, Resource,
    http::{Method, header::HeaderValue},
    middleware::from_fn,
    web::{self, ServiceConfig},
};

use super::{
    api::{route, wrap_resource},
    table::Table,
};
use crate::{
    error::Answer,
    metrics::RouteIndex,
    middleware::{ChangeBodies, Properties, enter_resource},
    site::SiteResource,
};

/// The pages of the app.
pub(crate) struct Pages<'a> {
    app: &'a mut ServiceConfig,
    table: &'a mut Table,
}

impl<'a> Pages<'a> {
    pub(crate) const fn new(app: &'a mut ServiceConfig, table: &'a mut Table) -> Self {
        Self { app, table }
    }

    /// Registers the handler of GET and HEAD at `path`.
    pub(crate) fn page<H, Args>(&mut self, path: &'static str, handler: H)
    where
        H: Handler<Args, Output = Answer>,
        Args: FromRequest + 'static,
    {
        self.register(path, web::resource(path), handler);
    }

    /// Registers the handler of GET and HEAD at `path` and all paths below. The handler returns
    /// `not.found` for unknown paths.
    pub(crate) fn tree<H, Args>(&mut self, path: &'static str, handler: H)
    where
        H: Handler<Args, Output = Answer>,
        Args: FromRequest + 'static,
    {
        let all = [path.to_owned(), format!("{path}/{{below:.*}}")];
        self.register(path, web::resource(all), handler);
    }

    /// Registers a resource of the site, which answers all methods and has pages for errors.
    pub(crate) fn resource(&mut self, SiteResource { pattern, resource }: SiteResource) {
        let index = self.table.add(pattern.to_owned(), Vec::new());
        let properties = Properties { is_page: true, always: false, ..page_properties(index) };
        self.app.service(
            resource.wrap(from_fn(move |request, next| enter_resource(properties, request, next))),
        );
    }

    fn register<H, Args>(&mut self, pattern: &str, resource: Resource, handler: H)
    where
        H: Handler<Args, Output = Answer>,
        Args: FromRequest + 'static,
    {
        let index = self.table.add(pattern.to_owned(), Vec::new());
        let resource = resource.route(route(Method::GET, handler));
        self.app.service(wrap_resource(
            resource,
            HeaderValue::from_static("GET, HEAD"),
            page_properties(index),
        ));
    }
}

fn page_properties(index: RouteIndex) -> Properties {
    let change_bodies = ChangeBodies::default();
    Properties { index, no_store: false, always: true, is_page: false, change_bodies }
}
