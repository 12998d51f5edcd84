//! The bounds and formats of the field rules.

use patrol_domain::{Limits, Rules};
use validator::ValidateEmail;

/// Rules with these bounds. Email addresses have to be valid as in HTML forms; the `validator` crate
/// checks them.
#[must_use]
pub fn rules(limits: Limits) -> Rules {
    Rules { limits, is_email: |text| text.validate_email() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_email_address_has_a_name_and_a_host() {
        let is_email = rules(Limits::default()).is_email;
        for good in ["a1@example.org", "first.last+tag@mail.example.org", "a1@пример.рф"] {
            assert!(is_email(good), "{good}");
        }
        for bad in [
            "",
            "a1",
            "@example.org",
            "a1@",
            "a b@example.org",
            "a1@exa mple.org",
            "иван@example.org",
        ] {
            assert!(!is_email(bad), "{bad}");
        }
    }
}
