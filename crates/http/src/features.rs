//! The features and the public resources of the server.

use patrol_domain::location::Location;

use crate::{
    access,
    app::{self, Routes},
    check_list, event, figures, graphic_plan, location, media,
    openapi::{self, DocumentPart},
    operations, photo, point, record, report,
    route::{Api, PublicResources, RouteTable},
    scheduled_task, series,
    site::Site,
    task_execution, user,
};

/// All features and public resources.
pub(crate) const ROUTES: Routes = Routes { features, public };

fn features(api: &mut Api<'_>) {
    task_execution::configure(api);
    report::configure(api);
    media::configure(api);
    series::configure(api);
    scheduled_task::configure(api);
    graphic_plan::configure(api);
    api.service(record::collection::<Location>());
    point::configure(api);
    // After the resources whose path has a fixed word instead of the id.
    api.service(record::item::<Location>());
    check_list::configure(api);
    user::configure(api);
    photo::configure(api);
    access::configure(api);
    event::configure(api);
    figures::configure(api);
}

/// The parts of the API document, in its order.
pub(crate) fn parts() -> Vec<DocumentPart> {
    vec![
        task_execution::part(),
        report::part(),
        media::part(),
        series::part(),
        scheduled_task::part(),
        user::part(),
        photo::part(),
        location::part(),
        graphic_plan::part(),
        point::part(),
        check_list::part(),
        access::part(),
        event::part(),
        figures::part(),
    ]
}

/// All resources outside `/v1` that need no token.
pub(crate) fn public(app: &mut PublicResources<'_>) {
    operations::configure(app);
    openapi::configure(app);
}

/// The table of all resources, also of those of `site`.
pub(crate) fn table(site: Option<&Site>) -> RouteTable {
    app::table(ROUTES, site)
}
