//! How much memory all requests take, and those of each user.

use std::collections::HashMap;

use patrol_domain::ids::UserId;

/// Bytes that requests take. A user without any takes none here either.
#[derive(Default)]
pub(crate) struct Usage {
    all: usize,
    users: HashMap<UserId, usize>,
}

impl Usage {
    /// What all requests take.
    pub(crate) const fn all(&self) -> usize {
        self.all
    }

    /// What the requests of a user take; 0 for requests of nobody.
    pub(crate) fn of(&self, user: Option<UserId>) -> usize {
        user.and_then(|user| self.users.get(&user)).copied().unwrap_or(0)
    }

    /// A request of the user takes more.
    pub(crate) fn add(&mut self, user: Option<UserId>, bytes: usize) {
        self.all = self.all.saturating_add(bytes);
        if let Some(user) = user {
            let of_user = self.users.entry(user).or_default();
            *of_user = of_user.saturating_add(bytes);
        }
    }

    /// A request of the user takes less.
    pub(crate) fn remove(&mut self, user: Option<UserId>, bytes: usize) {
        self.all = self.all.saturating_sub(bytes);
        let left = self.of(user).saturating_sub(bytes);
        if let Some(user) = user {
            if left == 0 {
                self.users.remove(&user);
            } else {
                self.users.insert(user, left);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::id;

    #[test]
    fn each_user_is_counted_and_forgotten() {
        let mut usage = Usage::default();
        for (user, bytes) in [(Some(id(1)), 5), (Some(id(1)), 2), (Some(id(2)), 3), (None, 4)] {
            usage.add(user, bytes);
        }
        assert_eq!((usage.all(), usage.of(Some(id(1))), usage.of(Some(id(2)))), (14, 7, 3));
        usage.remove(Some(id(1)), 5);
        usage.remove(None, 4);
        assert_eq!((usage.all(), usage.of(Some(id(1))), usage.of(None)), (5, 2, 0));
        usage.remove(Some(id(1)), 2);
        usage.remove(Some(id(2)), 3);
        assert_eq!((usage.all(), usage.users.len()), (0, 0));
    }
}
