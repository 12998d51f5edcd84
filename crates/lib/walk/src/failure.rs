//! Requests that are not done.

/// Why a request is not done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    /// No answer, or one that says to try again.
    Retry,
    /// Sending the request again does not help.
    Refused,
    /// The token is not valid.
    Unauthorized,
}

impl Failure {
    /// The meaning of this status of HTTP; `None` when the request is done.
    #[must_use]
    pub const fn of(status: u16) -> Option<Self> {
        match status {
            200..=299 => None,
            401 => Some(Self::Unauthorized),
            408 | 425 | 429 | 500..=599 => Some(Self::Retry),
            _ => Some(Self::Refused),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_succeed_later_is_sent_again() {
        for (statuses, failure) in [
            (&[200, 201, 204][..], None),
            (&[408, 425, 429, 500, 502, 503, 504], Some(Failure::Retry)),
            (&[304, 400, 403, 404, 409, 412, 413, 422], Some(Failure::Refused)),
            (&[401], Some(Failure::Unauthorized)),
        ] {
            for status in statuses {
                assert_eq!(Failure::of(*status), failure, "{status}");
            }
        }
    }
}
