//! [`Locations`](patrol_domain::location::Locations). [`crate::list`] compares the queries of the
//! list with the model.

use patrol_domain::{
    data_set::Record,
    ids::GraphicPlanId,
    list::{Condition, Test},
    location::{Location, LocationFilter, LocationItem},
};

use crate::{
    Adapter,
    listing::{everything, meeting, read},
    sample::{import, location, plan, plan_id},
};

fn item(location: Location, graphic_plan_ids: Vec<GraphicPlanId>) -> LocationItem {
    LocationItem { location, graphic_plan_ids }
}

/// Every field is listed; plans are sorted by id, and locations too without a sort.
pub async fn a_location_is_listed_with_its_plans_by_id<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let bare = Location { position: None, tags: Vec::new(), ..location(2) };
    let records = [
        Record::Location(bare.clone()),
        Record::Location(location(1)),
        Record::GraphicPlan(plan(3, 1)),
        Record::GraphicPlan(plan(1, 1)),
        Record::GraphicPlan(plan(2, 1)),
    ];
    import(&ports, records.to_vec()).await.unwrap();
    let items =
        vec![item(location(1), vec![plan_id(1), plan_id(2), plan_id(3)]), item(bare, Vec::new())];
    assert_eq!(read(ports.locations.list(everything())).await, (items, 2));
}

/// A new plan changes which locations have one.
pub async fn a_new_plan_changes_what_is_listed<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let with_plan = |flag| {
        let query = meeting(Condition::Is(LocationFilter::WithGraphicPlan, Test::Flag(flag)));
        read(ports.locations.list(query))
    };
    import(&ports, vec![Record::Location(location(1))]).await.unwrap();
    assert_eq!(with_plan(true).await, (Vec::new(), 0));
    assert_eq!(with_plan(false).await, (vec![item(location(1), Vec::new())], 1));
    import(&ports, vec![Record::GraphicPlan(plan(7, 1))]).await.unwrap();
    assert_eq!(with_plan(true).await, (vec![item(location(1), vec![plan_id(7)])], 1));
    assert_eq!(with_plan(false).await, (Vec::new(), 0));
}
