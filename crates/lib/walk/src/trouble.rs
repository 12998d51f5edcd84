//! Answers that do not say what became of a request.

/// Why a request is not done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// No answer, or one that says to try again.
    Away,
    /// Sending the request again does not help.
    Refused,
    /// The token is not valid.
    LockedOut,
}

impl Trouble {
    /// The meaning of this status of HTTP; `None` when the request is done.
    #[must_use]
    pub const fn of(status: u16) -> Option<Self> {
        match status {
            200..=299 => None,
            401 => Some(Self::LockedOut),
            429 | 500..=599 => Some(Self::Away),
            _ => Some(Self::Refused),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_succeed_later_is_sent_again() {
        for (statuses, trouble) in [
            (&[200, 201, 204][..], None),
            (&[429, 500, 502, 503, 504], Some(Trouble::Away)),
            (&[304, 400, 403, 404, 409, 412, 413, 422], Some(Trouble::Refused)),
            (&[401], Some(Trouble::LockedOut)),
        ] {
            for status in statuses {
                assert_eq!(Trouble::of(*status), trouble, "{status}");
            }
        }
    }
}
