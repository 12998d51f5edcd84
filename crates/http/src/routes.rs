//! The features and the pages of the server.

use crate::{
    access,
    app::{self, Routes},
    check_list, event, location,
    openapi::{self, Part},
    pages, photo, point,
    route::{Api, Pages, Table},
    series,
    site::Site,
    task_execution, user,
};

/// All features and pages.
pub(crate) const ROUTES: Routes = Routes { features, pages };

fn features(api: &mut Api<'_>) {
    task_execution::configure(api);
    series::configure(api);
    location::configure(api);
    point::configure(api);
    check_list::configure(api);
    user::configure(api);
    photo::configure(api);
    access::configure(api);
    event::configure(api);
}

/// The parts of the API document, in its order.
pub(crate) fn parts() -> Vec<Part> {
    vec![
        task_execution::part(),
        series::part(),
        user::part(),
        photo::part(),
        location::part(),
        point::part(),
        check_list::part(),
        access::part(),
        event::part(),
    ]
}

/// All pages.
pub(crate) fn pages(app: &mut Pages<'_>) {
    pages::configure(app);
    openapi::configure(app);
}

/// The table of all routes and pages, also of those of `site`.
pub(crate) fn table(site: Option<&Site>) -> Table {
    app::table(ROUTES, site)
}
