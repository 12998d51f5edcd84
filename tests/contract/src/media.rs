//! [`Media`](patrol_domain::media::Media).

use patrol_domain::{
    EditError, Held, Holder, StoreError, Target, data_set::Record, event::EventQuery, ids::MediaId,
    list::Condition, media::Medium, photo::ImageOwner, task_execution::Outcome,
};

use crate::{
    Adapter, Ports,
    records::{found, new},
    report,
    sample::{
        by, execution, execution_id, fill, import, medium, of_execution, plan, time, user_id,
        whole_execution,
    },
};

async fn announce(ports: &Ports, object: MediaId) {
    ports.image_owners.announce(object, time(10)).await.expect("an announcement");
}

async fn create(ports: &Ports, medium: &Medium) -> Result<Medium, EditError> {
    let made = medium.clone();
    ports.media.create(new(move || Ok(made.clone())), by()).await
}

/// A stored medium with this number.
async fn stored(ports: &Ports, number: u128) -> Medium {
    announce(ports, medium(number).object).await;
    create(ports, &medium(number)).await.expect("a medium")
}

async fn delete(ports: &Ports, number: u128) -> Result<(), EditError> {
    ports.media.delete(Target::any_version(medium(number).id), by()).await
}

/// The numbers of the media that nothing names.
async fn unused(ports: &Ports, until: i64) -> Vec<MediaId> {
    ports.media.unused(time(until), None, 100).await.expect("a read")
}

fn now() -> i64 {
    by().at.millis()
}

async fn filled<A: Adapter>(adapter: &A) -> Ports {
    let ports = adapter.fresh().await;
    fill(&ports, &[execution(1), execution(2)]).await;
    ports
}

/// A new medium gets its announced object, which is no longer announced and not condemned. An object that is
/// condemned or not announced is `Unavailable`, and nothing is stored.
pub async fn a_file_is_given_to_a_new_medium<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    let one = stored(&ports, 1).await;
    let announced = ports.image_owners.announced(time(1_000_000), 9).await;
    assert_eq!(announced, Ok(Vec::new()));
    let condemned = ports.image_owners.mark_for_removal(vec![one.object], time(20)).await;
    assert_eq!(condemned, Ok(Vec::new()));
    announce(&ports, medium(2).object).await;
    let object = vec![medium(2).object];
    let condemned = ports.image_owners.mark_for_removal(object.clone(), time(20)).await;
    assert_eq!(condemned, Ok(object));
    for number in [2, 3] {
        let refused = create(&ports, &medium(number)).await;
        assert!(matches!(refused, Err(EditError::Store(StoreError::Unavailable(_)))), "{number}");
        assert_eq!(found::<Medium>(&ports, medium(number).id).await, None);
    }
}

/// The object of a deleted medium is announced and condemned.
pub async fn the_file_of_a_deleted_medium_is_condemned<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    let one = stored(&ports, 1).await;
    stored(&ports, 2).await;
    assert_eq!(delete(&ports, 1).await, Ok(()));
    let announced = ports.image_owners.announced(time(1_000_000), 9).await;
    assert_eq!(announced, Ok(vec![one.object]));
    let again = create(&ports, &one).await;
    assert!(matches!(again, Err(EditError::Store(StoreError::Unavailable(_)))));
}

/// A medium is unused while no entry of a report and no action names it, from its creation on. Pages come by
/// id.
pub async fn a_medium_that_nothing_names_is_unused<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    for number in 1..6 {
        stored(&ports, number).await;
    }
    let named = report::note_with(&ports, 1, 1, &[medium(2).id, medium(3).id]).await;
    assert!(named.is_ok());
    // An imported execution names media, also unknown ones.
    let mut imported = whole_execution(5);
    for action in imported.steps.iter_mut().flat_map(|step| &mut step.actions) {
        if let Some(Outcome::Media(media)) = &mut action.outcome {
            *media = vec![medium(4).id, medium(99).id];
        }
    }
    import(&ports, vec![of_execution(imported)]).await.expect("an import");
    let ids = |numbers: &[u128]| numbers.iter().map(|of| medium(*of).id).collect::<Vec<_>>();
    assert_eq!(unused(&ports, now()).await, []);
    assert_eq!(unused(&ports, now() + 1).await, ids(&[1, 5]));
    let page = ports.media.unused(time(now() + 1), None, 1).await;
    assert_eq!(page, Ok(ids(&[1])));
    let page = ports.media.unused(time(now() + 1), Some(medium(1).id), 1).await;
    assert_eq!(page, Ok(ids(&[5])));
    let held = vec![Held { by: Holder::TaskExecutions, count: 1 }];
    assert_eq!(delete(&ports, 2).await, Err(EditError::InUse(held.clone())));
    assert_eq!(delete(&ports, 4).await, Err(EditError::InUse(held)));
    // A deleted round names nothing any more.
    for number in [1, 5] {
        let at = Target::any_version(execution_id(number));
        ports.task_executions.delete(at, by()).await.expect("a deletion");
    }
    assert_eq!(unused(&ports, now() + 1).await, ids(&[1, 2, 3, 4, 5]));
    assert_eq!(delete(&ports, 2).await, Ok(()));
}

/// The event of an accepted entry has the ids and digests of its media instead of `mediaIds`.
pub async fn an_event_of_a_report_has_the_digests_of_its_media<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    for number in [1, 2] {
        stored(&ports, number).await;
    }
    let media = [medium(2).id, medium(1).id];
    report::note_with(&ports, 1, 1, &media).await.expect("a report");
    let query = EventQuery { after: 0, limit: 100, condition: Condition::All(Vec::new()) };
    let page = ports.events.page(query).await.expect("a page");
    let reported = page.events.iter().find(|event| event.kind == "taskExecution.reported");
    let changes = &reported.expect("an event").changes;
    let digest = "a7".repeat(32);
    let [first, second] = media.map(|id| format!("{{\"id\":\"{id}\",\"sha256\":\"{digest}\"}}"));
    assert!(changes.contains(&format!("\"media\":[{first},{second}]")), "{changes}");
    assert!(!changes.contains("mediaIds"), "{changes}");
}

/// When a medium is named and deleted at the same moment, exactly one succeeds.
pub async fn a_medium_is_named_or_deleted<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    for number in 1..20 {
        stored(&ports, number).await;
        let media = [medium(number).id];
        let (named, deleted) =
            tokio::join!(report::note_with(&ports, 1, number, &media), delete(&ports, number));
        assert_ne!(named.is_ok(), deleted.is_ok(), "{number}: {deleted:?}");
        let is_kept = found::<Medium>(&ports, medium(number).id).await.is_some();
        assert_eq!(named.is_ok(), is_kept, "{number}");
    }
}

/// Owners are users, then graphic plans, then media, each by id; each tells its object.
pub async fn media_come_last_among_the_owners<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    for number in [2, 1] {
        stored(&ports, number).await;
    }
    let photo = medium(9).object;
    announce(&ports, photo).await;
    ports.user_photos.set(user_id(1), Some(photo), by()).await.expect("a photo");
    import(&ports, vec![Record::GraphicPlan(plan(30, 1))]).await.expect("an import");
    let (mut found, mut after) = (Vec::new(), None);
    while let [(owner, object)] = ports.image_owners.owners(after, 1).await.expect("a page")[..] {
        found.push((owner, object));
        after = Some(owner);
    }
    let media = [1, 2].map(|of| (ImageOwner::Medium(medium(of).id), medium(of).object));
    assert_eq!(found, [&[(ImageOwner::User(user_id(1)), photo)][..], &media].concat());
    for (owner, object) in found {
        assert_eq!(ports.image_owners.image_of(owner).await, Ok(Some(object)));
    }
    let gone = ImageOwner::Medium(medium(3).id);
    assert_eq!(ports.image_owners.image_of(gone).await, Ok(None));
}
