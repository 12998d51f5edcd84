//! The actix app: the scope of the API, the resources outside it, and the middleware around them.

use actix_web::{
    App, Error,
    dev::{ServiceFactory, ServiceRequest, ServiceResponse},
    middleware::from_fn,
    web::{self, ServiceConfig},
};

use crate::{
    api_path::BASE,
    middleware::{not_found, observe, use_connection},
    page::Site,
    route::{Api, PublicResources, RouteTable},
    shared::Shared,
};

/// The routes of an app.
#[derive(Clone, Copy)]
pub(crate) struct Routes {
    /// Registers the resources under `/v1`.
    pub(crate) features: fn(&mut Api<'_>),
    /// Registers the resources outside `/v1`.
    pub(crate) public: fn(&mut PublicResources<'_>),
}

/// The app of one worker.
pub(crate) fn app(
    shared: &Shared,
    routes: Routes,
) -> App<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse,
        Error = Error,
        InitError = (),
    > + use<>,
> {
    App::new()
        .app_data(shared.for_worker())
        .configure(|app| {
            configure(app, routes, shared.site.as_ref());
        })
        .default_service(web::to(not_found))
        // The middleware added last runs first.
        .wrap(from_fn(observe))
        .wrap(from_fn(use_connection))
}

/// The table of all resources, also of those of `site`.
pub(crate) fn table(routes: Routes, site: Option<&Site>) -> RouteTable {
    let mut table = RouteTable::default();
    // The app is dropped: only the table is needed.
    let _: App<_> = App::new().configure(|app| table = configure(app, routes, site));
    table
}

fn configure(app: &mut ServiceConfig, routes: Routes, site: Option<&Site>) -> RouteTable {
    let mut table = RouteTable::default();
    let scope = web::scope(BASE);
    app.service(scope.configure(|scope| (routes.features)(&mut Api::new(scope, &mut table))));
    let mut public = PublicResources::new(app, &mut table);
    // First, because a page may stand below a tree of others.
    if let Some(site) = site {
        (site.resources)().into_iter().for_each(|resource| public.site_resource(resource));
    }
    (routes.public)(&mut public);
    table
}
