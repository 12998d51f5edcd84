//! The routes and pages of all features.

use crate::{
    access, check_list, health, location, metrics, openapi, photo, point,
    route::{Page, Route, Table},
    series, task_execution, user,
};

/// All routes under `/v1`, in the order of the features.
pub(crate) fn routes() -> Vec<Route> {
    let mut routes = task_execution::routes();
    routes.extend(series::routes());
    routes.extend(location::routes());
    routes.extend(point::routes());
    routes.extend(check_list::routes());
    routes.extend(user::routes());
    routes.extend(photo::routes());
    routes.extend(access::routes());
    routes
}

/// All pages outside `/v1`.
pub(crate) fn pages() -> Vec<Page> {
    let mut pages = health::page::pages();
    pages.extend(metrics::page::pages());
    pages.extend(openapi::pages());
    pages
}

/// The table of all routes and pages.
pub(crate) fn table() -> Table {
    Table::new(routes(), pages())
}
