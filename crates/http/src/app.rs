//! The actix app: the scope of the API, the pages, and the middleware around them.

use actix_web::{
    App, Error,
    dev::{ServiceFactory, ServiceRequest, ServiceResponse},
    middleware::from_fn,
    web::{self, ServiceConfig},
};

use crate::{
    middleware::{not_found, observe, use_connection},
    route::{Api, BASE, Pages, Table},
    shared::Shared,
};

/// The routes of an app.
#[derive(Clone, Copy)]
pub(crate) struct Routes {
    /// Registers the resources under `/v1`.
    pub(crate) features: fn(&mut Api<'_>),
    /// Registers the pages outside `/v1`.
    pub(crate) pages: fn(&mut Pages<'_>),
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
            configure(app, routes);
        })
        .default_service(web::to(not_found))
        // The middleware added last runs first.
        .wrap(from_fn(observe))
        .wrap(from_fn(use_connection))
}

/// The table of all routes and pages.
pub(crate) fn table(routes: Routes) -> Table {
    let mut table = Table::default();
    // The app is dropped: only the table is needed.
    let _: App<_> = App::new().configure(|app| table = configure(app, routes));
    table
}

fn configure(app: &mut ServiceConfig, routes: Routes) -> Table {
    let mut table = Table::default();
    let scope = web::scope(BASE);
    app.service(scope.configure(|scope| (routes.features)(&mut Api::new(scope, &mut table))));
    (routes.pages)(&mut Pages::new(app, &mut table));
    table
}
