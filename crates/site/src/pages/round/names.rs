//! The names of the people of a round.

use std::collections::{BTreeSet, HashMap};

use actix_web::Error;
use patrol_domain::{
    ids::UserId,
    list::{Condition, Membership, Test},
    user::UserFilter,
};

use crate::{office::list, pages::listed, texts::Texts, visit::SignedIn};

/// The users of one query.
const AT_ONCE: usize = 200;

/// Names of people by their ids.
#[derive(Debug, Default)]
pub(super) struct Names(HashMap<UserId, String>);

impl Names {
    #[cfg(test)]
    pub(super) fn of(names: impl IntoIterator<Item = (UserId, String)>) -> Self {
        Self(names.into_iter().collect())
    }

    /// Reads the names of these people.
    ///
    /// # Errors
    /// When the users cannot be read.
    pub(super) async fn read(
        signed_in: &SignedIn,
        people: BTreeSet<UserId>,
    ) -> Result<Self, Error> {
        let api = &signed_in.visit.site.api;
        let people: Vec<_> = people.into_iter().map(|user| user.0).collect();
        let mut names = HashMap::with_capacity(people.len());
        for some in people.chunks(AT_ONCE) {
            let some = Condition::Is(UserFilter::Id, Test::Ids(Membership::Any, some.into()));
            let limit = u32::try_from(AT_ONCE).unwrap_or(u32::MAX);
            let query = list::first(signed_in, some, None, limit);
            let (users, _) = listed(api.users.list(signed_in.actor, query)).await?;
            names.extend(users.iter().map(|user| (user.id, user.full_name())));
        }
        Ok(Self(names))
    }

    /// The name of a person, who may have been deleted.
    pub(super) fn person(&self, t: &Texts, user: UserId) -> String {
        self.0.get(&user).cloned().unwrap_or_else(|| t.round_person_unknown.to_string())
    }
}
