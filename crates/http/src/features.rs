//! The features and the public resources of the server.

use patrol_domain::{
    check_list::CheckList, location::Location, point::Point, scheduled_task::ScheduledTask,
};

use crate::{
    access,
    app::{self, Routes},
    check_list, event, figures, graphic_plan, image, location, media,
    openapi::{self, DocumentPart as Part},
    operations,
    page::Site,
    photo, point, record, report,
    route::{Api, PublicResources, RouteTable},
    scheduled_task, schema, series, task_execution, user,
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
pub(crate) fn parts() -> Vec<Part> {
    vec![
        Part::of::<task_execution::Description>(include_str!("task_execution/examples.json")),
        Part::of::<report::Description>(include_str!("report/examples.json")),
        Part::of::<media::Description>(include_str!("media/examples.json"))
            .with_rule("MediumUpload", image::part_name_rule()),
        Part::of::<series::Description>(include_str!("series/examples.json")),
        Part::of::<scheduled_task::Description>(include_str!("scheduled_task/examples.json"))
            .with_records::<ScheduledTask>(),
        Part::of::<user::Description>(include_str!("user/examples.json")),
        Part::of::<photo::Description>(include_str!("photo/examples.json"))
            .with_rule("PhotoUpload", image::part_name_rule()),
        Part::of::<location::Description>(include_str!("location/examples.json"))
            .with_records::<Location>()
            .with_rule("LocationPost", schema::position_rule())
            .with_rule("LocationPut", schema::position_rule()),
        Part::of::<graphic_plan::Description>(include_str!("graphic_plan/examples.json"))
            .with_rule("GraphicPlanUpload", image::part_name_rule()),
        Part::of::<point::Description>(include_str!("point/examples.json"))
            .with_records::<Point>()
            .with_rule("PointPut", schema::position_rule()),
        Part::of::<check_list::Description>(include_str!("check_list/examples.json"))
            .with_records::<CheckList>(),
        Part::of::<access::Description>(include_str!("access/examples.json")),
        Part::of::<event::Description>(include_str!("event/examples.json")),
        Part::of::<figures::Description>(include_str!("figures/examples.json")),
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
