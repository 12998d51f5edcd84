//! U+0000, which PostgreSQL refuses: values that contain it are looked up before they are refused,
//! and are never found.

use futures_util::StreamExt;
use patrol_contract::Adapter;
use patrol_domain::{
    Edit, EditError, Existing, New, References, Refusal, Target, Timestamp, UniqueValue,
    event::Origin,
    ids::{PointId, UserId, Uuid},
    list::{Condition, Membership, Part, Query, Test},
    task_execution::{ExecutionFilter, ExecutionList},
    user::User,
};

use crate::{Postgres, crowds};

const NUL: &str = "a\0b";

/// Checks that the lookup is empty, and refuses the change.
fn nothing_known<T>(existing: &Existing) -> Result<T, Refusal> {
    assert_eq!(*existing, Existing::default());
    Err(Refusal::Denied)
}

#[tokio::test]
async fn what_cannot_be_stored_belongs_to_nobody() {
    let adapter = Postgres::new(1);
    let ports = crowds::filled(&adapter, patrol_domain::access::Role::Employee).await;
    assert_eq!(ports.users.find(NUL).await, Ok(Vec::new()));
    let kinds = [UniqueValue::UserName, UniqueValue::QrCode, UniqueValue::RfidCode];
    let values = kinds.map(|kind| (kind, [NUL.to_owned()].into())).into();
    let references = References { values, ..References::default() };
    let change = Box::new(|_: &User, existing: &Existing| nothing_known(existing));
    let user = Target::any_version(UserId(Uuid::from_u128(1)));
    let edit = Edit { at: user, references: references.clone(), change };
    let denied = EditError::Refused(Refusal::Denied);
    let updated = ports.users.update(edit, Origin::of_program(Timestamp::LAST)).await;
    assert_eq!(updated.unwrap_err(), denied);
    let point = New { references, make: Box::new(nothing_known) };
    let at = Timestamp::from_millis(0).unwrap();
    assert_eq!(ports.points.create(point, Origin::of_program(at)).await.unwrap_err(), denied);
    assert_eq!(ports.points.get(PointId(Uuid::nil())).await, Ok(None));
}

#[tokio::test]
async fn lists_find_nothing_that_cannot_be_stored() {
    let adapter = Postgres::new(1);
    let ports = adapter.fresh().await;
    let texts = || vec![NUL.to_owned(), "round".to_owned()];
    for (filter, test) in [
        (ExecutionFilter::Name, Test::Contains(NUL.to_owned())),
        (ExecutionFilter::Name, Test::Text(Membership::Any, texts())),
        (ExecutionFilter::Name, Test::Text(Membership::None, texts())),
        (ExecutionFilter::Tags, Test::Tags(Membership::Any, texts())),
        (ExecutionFilter::Tags, Test::Tags(Membership::None, vec![NUL.to_owned()])),
    ] {
        let query: Query<ExecutionList> = Query {
            search: Some(NUL.to_owned()),
            ..Query::of(Condition::Is(filter, test.clone()), Timestamp::from_millis(0).unwrap())
        };
        let parts: Vec<_> = ports.task_executions.list(query).collect().await;
        assert_eq!(parts, [Ok(Part::Total(0))], "{test:?}");
    }
}
