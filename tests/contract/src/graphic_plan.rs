//! [`GraphicPlans`](patrol_domain::graphic_plan::GraphicPlans).

use patrol_domain::{
    EditError, StoreError, Target,
    data_set::Record,
    graphic_plan::{GraphicPlan, GraphicPlanFilter, GraphicPlanList, GraphicPlanSort, Picture},
    ids::MediaId,
    list::{Condition, Direction, Membership, Query, Sort, Test},
    photo::{ImageFormat, ImageOwner},
    shared::text::fold,
};

use crate::{
    Adapter, Ports,
    listing::{everything, meeting, read},
    records::{found, new},
    sample::{by, exported, fill, id, import, location_id, plan, time, user_id},
};

fn image(number: u128) -> MediaId {
    id(13, number)
}

/// A plan with a picture that has the same number.
fn pictured(number: u128, location: u128) -> GraphicPlan {
    let side = u32::try_from(number).expect("a number");
    let picture =
        Picture { image: image(number), format: ImageFormat::Webp, width: side, height: 65_535 };
    GraphicPlan { picture: Some(picture), ..plan(number, location) }
}

async fn filled<A: Adapter>(adapter: &A) -> Ports {
    let ports = adapter.fresh().await;
    fill(&ports, &[]).await;
    ports
}

async fn announced(ports: &Ports) -> Vec<MediaId> {
    ports.image_owners.announced(time(1_000_000), u32::MAX).await.expect("a read")
}

async fn create(ports: &Ports, plan: &GraphicPlan) -> Result<GraphicPlan, EditError> {
    let made = plan.clone();
    ports.graphic_plans.create(new(move || Ok(made.clone())), by()).await
}

async fn announce(ports: &Ports, number: u128) {
    ports.image_owners.announce(image(number), time(10)).await.expect("an announcement");
}

/// A new plan gets its announced picture, which is no longer announced and not condemned. A picture that is
/// condemned or not announced is `Unavailable`, and nothing is stored. When a picture is given and
/// condemned at the same moment, exactly one succeeds.
pub async fn a_picture_is_given_to_a_new_plan_or_condemned<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    let plan = pictured(11, 1);
    announce(&ports, 11).await;
    assert_eq!(create(&ports, &plan).await, Ok(plan.clone()));
    assert_eq!(found(&ports, plan.id).await, Some(plan.clone()));
    assert_eq!(announced(&ports).await, []);
    assert_eq!(ports.image_owners.mark_for_removal(vec![image(11)], time(20)).await, Ok(vec![]));
    // An export has no pictures.
    let bare = Record::GraphicPlan(plan.clone());
    assert!(exported(&ports).await.contains(&bare), "the store keeps them for itself");
    announce(&ports, 12).await;
    let condemned = ports.image_owners.mark_for_removal(vec![image(12)], time(20)).await;
    assert_eq!(condemned, Ok(vec![image(12)]));
    let newest = ports.events.newest().await;
    for number in [12, 13] {
        let refused = create(&ports, &pictured(number, 1)).await;
        assert!(matches!(refused, Err(EditError::Store(StoreError::Unavailable(_)))), "{number}");
        assert_eq!(found::<GraphicPlan>(&ports, pictured(number, 1).id).await, None);
    }
    assert_eq!(ports.events.newest().await, newest);
    for number in 20..40 {
        announce(&ports, number).await;
        let plan = pictured(number, 1);
        let (created, condemned) = tokio::join!(
            create(&ports, &plan),
            ports.image_owners.mark_for_removal(vec![image(number)], time(20)),
        );
        let is_owned = condemned.expect("an answer").is_empty();
        assert_eq!(created.is_ok(), is_owned, "{number}");
        assert_eq!(found::<GraphicPlan>(&ports, plan.id).await.is_some(), is_owned, "{number}");
    }
}

/// The picture of a deleted plan is announced and condemned.
pub async fn a_deleted_plan_leaves_its_picture_condemned<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    for number in [11, 12] {
        announce(&ports, number).await;
        create(&ports, &pictured(number, 1)).await.expect("a plan");
    }
    let at = Target::<GraphicPlan>::any_version(pictured(11, 1).id);
    assert_eq!(ports.graphic_plans.delete(at, by()).await, Ok(()));
    assert_eq!(announced(&ports).await, [image(11)]);
    let again = create(&ports, &pictured(11, 1)).await;
    assert!(matches!(again, Err(EditError::Store(StoreError::Unavailable(_)))));
    // A plan without a picture leaves none.
    let at = Target::<GraphicPlan>::any_version(plan(4, 4).id);
    assert_eq!(ports.graphic_plans.delete(at, by()).await, Ok(()));
    assert_eq!(announced(&ports).await, [image(11)]);
}

/// Owners are users, then graphic plans, each by id; each tells its image.
pub async fn plans_with_a_picture_come_after_users<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    for number in [1, 2, 11, 12] {
        announce(&ports, number).await;
    }
    for user in [1, 2] {
        let set = ports.user_photos.set(user_id(user), Some(image(user)), by()).await;
        set.expect("a photo");
    }
    for number in [12, 11] {
        create(&ports, &pictured(number, 1)).await.expect("a plan");
    }
    let users = [1, 2].map(|number| (ImageOwner::User(user_id(number)), image(number)));
    let plans =
        [11, 12].map(|number| (ImageOwner::GraphicPlan(pictured(number, 1).id), image(number)));
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = ports.image_owners.owners(after, 1).await.expect("a page");
        assert!(page.len() <= 1);
        let Some((last, _)) = page.last() else { break };
        after = Some(*last);
        found.extend(page);
    }
    assert_eq!(found, [users, plans].concat());
    for (owner, image) in found {
        assert_eq!(ports.image_owners.image_of(owner).await, Ok(Some(image)));
    }
    for owner in [
        ImageOwner::User(user_id(3)),
        ImageOwner::User(user_id(99)),
        ImageOwner::GraphicPlan(plan(1, 1).id),
        ImageOwner::GraphicPlan(plan(99, 1).id),
    ] {
        assert_eq!(ports.image_owners.image_of(owner).await, Ok(None));
    }
}

/// Plans are filtered by location, id and name, searched by name, and sorted by each property; nulls come last.
pub async fn plans_are_listed_as_the_model_says<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    let mut plans = vec![plan(1, 1), plan(21, 1)];
    plans[1].name = "ёлка".to_owned();
    import(&ports, vec![Record::GraphicPlan(plans[1].clone())]).await.expect("an import");
    let formats = [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Webp];
    for ((number, name), format) in (11..).zip(["Ётаж", "atrium", "Ётаж"]).zip(formats) {
        announce(&ports, number).await;
        let mut plan = GraphicPlan { name: name.to_owned(), ..pictured(number, 1) };
        plan.picture = plan.picture.map(|picture| Picture { format, ..picture });
        create(&ports, &plan).await.expect("a plan");
        plans.push(plan);
    }
    let here = Test::Ids(Membership::Any, vec![location_id(1).0]);
    let here = Condition::Is(GraphicPlanFilter::Location, here);
    let ordered = |property, direction| {
        let sort = vec![Sort { property, direction }];
        let query = Query::<GraphicPlanList> { sort, ..meeting(here.clone()) };
        read(ports.graphic_plans.list(query))
    };
    for direction in [Direction::Ascending, Direction::Descending] {
        for property in [
            GraphicPlanSort::Id,
            GraphicPlanSort::LocationId,
            GraphicPlanSort::Name,
            GraphicPlanSort::Width,
            GraphicPlanSort::Height,
            GraphicPlanSort::ContentType,
        ] {
            let key = |plan: &GraphicPlan| {
                let picture = plan.picture.as_ref();
                match property {
                    GraphicPlanSort::Id => Some(plan.id.0.to_string()),
                    GraphicPlanSort::LocationId => Some(plan.location_id.0.to_string()),
                    GraphicPlanSort::Name => Some(fold(&plan.name)),
                    GraphicPlanSort::Width => picture.map(|of| format!("{:010}", of.width)),
                    GraphicPlanSort::Height => picture.map(|of| format!("{:010}", of.height)),
                    GraphicPlanSort::ContentType => {
                        picture.map(|of| of.format.media_type().to_owned())
                    }
                }
            };
            let mut wanted = plans.clone();
            wanted.sort_by(|one, other| {
                match (key(one), key(other)) {
                    (Some(one), Some(other)) if direction == Direction::Ascending => {
                        one.cmp(&other)
                    }
                    (Some(one), Some(other)) => other.cmp(&one),
                    (one, other) => one.is_none().cmp(&other.is_none()),
                }
                .then(one.id.cmp(&other.id))
            });
            let (listed, total) = ordered(property, direction).await;
            assert_eq!((listed, total), (wanted, 5), "{property:?} {direction:?}");
        }
    }
    let one = Test::Ids(Membership::Any, vec![plan(2, 2).id.0, plan(99, 2).id.0]);
    let one = meeting::<GraphicPlanList>(Condition::Is(GraphicPlanFilter::Id, one));
    assert_eq!(read(ports.graphic_plans.list(one)).await, (vec![plan(2, 2)], 1));
    assert_eq!(read(ports.graphic_plans.list(everything())).await.1, 8);
    for (name, count) in [("ТАЖ", 2), ("atr", 1), ("ёлка", 1), ("none", 0)] {
        let has = Condition::Is(GraphicPlanFilter::Name, Test::Contains(fold(name)));
        let named = meeting::<GraphicPlanList>(Condition::All(vec![here.clone(), has]));
        let search = Some(fold(name));
        let searched = Query::<GraphicPlanList> { search, ..meeting(here.clone()) };
        for query in [named, searched] {
            let (listed, total) = read(ports.graphic_plans.list(query)).await;
            assert_eq!(total, count, "{name}");
            assert!(listed.iter().all(|plan| fold(&plan.name).contains(&fold(name))), "{name}");
        }
    }
}
