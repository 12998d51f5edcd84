//! The rules for passwords.

use std::fmt;

use thiserror::Error;

use crate::{shared::text::fold, user::User};

/// Why a password is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum PasswordFault {
    /// Fewer than 12 or more than 256 characters.
    #[error("must have a length of 12 to 256")]
    Length,
    /// One of the 10,000 most common passwords, ignoring case.
    #[error("must not be one of the most common passwords")]
    Common,
    /// The name, the email address or the employee number of the user, ignoring case.
    #[error("must not be a name, the email or the employeeNo of the user")]
    Personal,
}

/// A password that meets the rules. Any characters are allowed.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

/// The common passwords of at least [`Password::MIN_LENGTH`] characters.
const COMMON: &str = include_str!("common_passwords.txt");

impl Password {
    /// The smallest number of characters.
    pub const MIN_LENGTH: usize = 12;
    /// The largest number of characters.
    pub const MAX_LENGTH: usize = 256;

    /// Checks a new password of `user`. The rules hold for new passwords only: a sign-in compares
    /// any text.
    ///
    /// # Errors
    /// The first rule that the password breaks.
    pub fn parse(text: &str, user: &User) -> Result<Self, PasswordFault> {
        Self::check_length(text)?;
        let folded = fold(text);
        if common().any(|common| fold(common) == folded) {
            return Err(PasswordFault::Common);
        }
        if personal(user).iter().any(|own| fold(own) == folded) {
            return Err(PasswordFault::Personal);
        }
        Ok(Self(text.to_owned()))
    }

    /// Checks only the length, which does not depend on the user.
    ///
    /// # Errors
    /// `Length`.
    pub fn check_length(text: &str) -> Result<(), PasswordFault> {
        // A character has at most four bytes: a text of megabytes is refused without counting.
        let is_countable = text.len() <= 4 * Self::MAX_LENGTH;
        let lengths = Self::MIN_LENGTH..=Self::MAX_LENGTH;
        if is_countable && lengths.contains(&text.chars().count()) {
            Ok(())
        } else {
            Err(PasswordFault::Length)
        }
    }

    /// The password itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Hides the password.
impl fmt::Debug for Password {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Password(…)")
    }
}

fn common() -> impl Iterator<Item = &'static str> {
    COMMON.lines().filter(|line| !line.starts_with('#'))
}

/// The texts that `user` must not have as a password: its names, email address and employee number.
fn personal(user: &User) -> Vec<String> {
    let User { first_name, last_name, email, employee_no, .. } = user;
    let both = format!("{first_name} {last_name}");
    let names = [user.full_name(), both, first_name.clone(), last_name.clone()];
    names.into_iter().chain(email.clone()).chain(employee_no.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_only_passwords_that_would_be_long_enough() {
        let all: Vec<_> = common().collect();
        assert_eq!(all.len(), 24);
        for one in all {
            assert!(one.chars().count() >= Password::MIN_LENGTH, "{one}");
        }
    }
}
