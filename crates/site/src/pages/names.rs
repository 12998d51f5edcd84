//! The names of people.

use std::collections::HashMap;

use actix_web::Error;
use patrol_domain::{ids::UserId, user::UserFilter};

use super::choices::by_ids;
use crate::{texts::Texts, visit::SignedIn};

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
        people: impl IntoIterator<Item = UserId>,
    ) -> Result<Self, Error> {
        let users = &signed_in.visit.site.api.users;
        let list = |query| users.list(signed_in.actor, query);
        let people = by_ids(signed_in, UserFilter::Id, people, list).await?;
        Ok(Self(people.iter().map(|user| (user.id, user.full_name())).collect()))
    }

    /// The name of a person who exists.
    pub(super) fn get(&self, user: UserId) -> Option<&str> {
        self.0.get(&user).map(String::as_str)
    }

    /// The name of a person, who may have been deleted.
    pub(super) fn person(&self, t: &Texts, user: UserId) -> String {
        self.get(user).map_or_else(|| t.round_person_unknown.to_string(), str::to_owned)
    }
}
