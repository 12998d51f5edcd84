//! The records that fields choose from, by their names.

use std::collections::BTreeSet;

use actix_web::Error;
use patrol_application::Failure;
use patrol_domain::{
    Named as _,
    ids::{Uuid, parse},
    list::{Condition, Listed, Listing, Membership, Query, Test},
    user::{User, UserFilter, UserSort, UserStatus},
};
use serde_json::Value;

use super::{listed, listed_as};
use crate::{
    office::{form::strings, list, record::OfficeRecord, table::Cell},
    visit::SignedIn,
};

/// The most values of a field to choose from.
const MAX_CHOICES: u32 = 10_000;

/// The most values of a field that are looked for by name. A form may hold more, which is refused.
const MAX_CHOSEN: usize = 1_000;

/// The ids of one query.
const AT_ONCE: usize = 100;

/// Records to choose from: ids and names.
type Choices = Vec<(String, String)>;

/// The records of a list that meet a condition, sorted; at most [`MAX_CHOICES`].
async fn all<L: Listed>(
    signed_in: &SignedIn,
    read: impl FnOnce(Query<L>) -> Result<Listing<L::Item>, Failure>,
    condition: Option<Condition<L::Filter>>,
    sort: L::Sort,
    choice: impl Fn(L::Item) -> (Uuid, String),
) -> Result<Choices, Error> {
    let visit = &signed_in.visit;
    let _permit = visit.page.begin_long_list(signed_in.session.user.id).await?;
    let condition = Condition::All(condition.into_iter().collect());
    let query = list::first(signed_in, condition, Some(sort), MAX_CHOICES);
    let listing = read(Query { in_parts: true, ..query });
    let choice = |item| {
        let (id, name) = choice(item);
        (id.to_string(), name)
    };
    Ok(listed_as(listing, choice).await?.0)
}

/// The records with these ids, in any order. Deleted records are left out.
pub(super) async fn by_ids<L: Listed<Filter: Copy>>(
    signed_in: &SignedIn,
    property: L::Filter,
    ids: impl IntoIterator<Item = impl Into<Uuid>>,
    read: impl Fn(Query<L>) -> Result<Listing<L::Item>, Failure>,
) -> Result<Vec<L::Item>, Error> {
    let ids: BTreeSet<Uuid> = ids.into_iter().map(Into::into).collect();
    let ids: Vec<_> = ids.into_iter().collect();
    let mut found = Vec::with_capacity(ids.len());
    for some in ids.chunks(AT_ONCE) {
        // One more than there can be: the store has to count no total behind the rows.
        let limit = u32::try_from(some.len() + 1).unwrap_or(u32::MAX);
        let query = list::first(signed_in, is_one_of(property, some.into()), None, limit);
        found.extend(listed(read(query)).await?.0);
    }
    Ok(found)
}

/// The condition that a property has one of these ids.
pub(super) fn is_one_of<P>(property: P, ids: Vec<Uuid>) -> Condition<P> {
    Condition::Is(property, Test::Ids(Membership::Any, ids))
}

/// The records of a kind that meet a condition, in the order of their names.
pub(super) async fn records<T: OfficeRecord>(
    signed_in: &SignedIn,
    condition: Option<Condition<<T::List as Listed>::Filter>>,
) -> Result<Choices, Error> {
    let service = T::SERVICE(&signed_in.visit.site.api);
    let list = |query| service.list(signed_in.actor, query);
    let choice = |record: T| (record.id(), record.name().to_owned());
    all(signed_in, list, condition, T::BY_NAME, choice).await
}

/// The link to one of these records.
pub(super) fn link<T: OfficeRecord>(
    records: &[(String, String)],
    id: impl Into<Uuid>,
) -> Option<Cell> {
    let id = id.into().to_string();
    let (_, name) = records.iter().find(|(known, _)| *known == id)?;
    Some(Cell::link(format!("{}/{id}", T::PATH), name))
}

/// As [`records`], for the people that a round or plan may have: those who work, and those that `record` has.
pub(super) async fn assignees(signed_in: &SignedIn, record: &Value) -> Result<Choices, Error> {
    let works = Test::Codes(Membership::Any, vec![UserStatus::Active.code()]);
    let chosen: BTreeSet<Uuid> = strings(&record["assigneeIds"]).filter_map(parse).collect();
    let condition = Condition::Any(vec![
        Condition::Is(UserFilter::Status, works),
        is_one_of(UserFilter::Id, chosen.into_iter().take(MAX_CHOSEN).collect()),
    ]);
    people(signed_in, condition).await
}

/// As [`records`], for people.
pub(super) async fn people(
    signed_in: &SignedIn,
    condition: Condition<UserFilter>,
) -> Result<Choices, Error> {
    let users = &signed_in.visit.site.api.users;
    let list = |query| users.list(signed_in.actor, query);
    let choice = |user: User| (user.id.0, user.full_name());
    all(signed_in, list, Some(condition), UserSort::FirstName, choice).await
}
