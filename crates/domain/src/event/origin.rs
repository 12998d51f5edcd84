//! The origin of a change.

use std::fmt;

use crate::{
    idempotency::KeyedRequest,
    shared::{
        ids::{TokenId, UserId},
        timestamp::Timestamp,
    },
};

/// The origin of a change, as its event shows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The time of the change.
    pub at: Timestamp,
    /// The user of the request; `None` when a command or a job of the service makes the change.
    pub actor: Option<UserId>,
    /// The token of the request; `None` for a command, a job, a session of the site, or a
    /// credential of an identity provider.
    pub token: Option<TokenId>,
    /// The id of the request; `None` when a command or a job of the service makes the change, or
    /// a user accepts an invitation.
    pub request: Option<RequestId>,
    /// The run of a request with an `Idempotency-Key`; the change is stored together with the key.
    pub keyed: Option<KeyedRequest>,
}

impl Origin {
    /// The origin of a change by a command or by a job of the service.
    #[must_use]
    pub const fn of_program(at: Timestamp) -> Self {
        Self { at, actor: None, token: None, request: None, keyed: None }
    }

    /// The same origin for a further change of the request. A repeated request returns the records of
    /// its main change alone.
    #[must_use]
    pub const fn without_key(self) -> Self {
        Self { keyed: None, ..self }
    }
}

/// The id of a request: 1 to 64 ASCII letters, digits, `-`, `_` and `.`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RequestId {
    length: u8,
    bytes: [u8; Self::MAX_LENGTH],
}

impl RequestId {
    /// The maximum number of characters.
    pub const MAX_LENGTH: usize = 64;

    /// The id with this text; `None` when the text has another form.
    #[must_use]
    pub fn new(text: &[u8]) -> Option<Self> {
        let is_allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
        if text.is_empty() || !text.iter().all(is_allowed) {
            return None;
        }
        let mut bytes = [0; Self::MAX_LENGTH];
        bytes.get_mut(..text.len())?.copy_from_slice(text);
        Some(Self { length: u8::try_from(text.len()).ok()?, bytes })
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let text = self.bytes.get(..usize::from(self.length)).unwrap_or_default();
        str::from_utf8(text).unwrap_or_default()
    }
}

impl fmt::Debug for RequestId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_id_has_1_to_64_allowed_characters() {
        for good in ["a", "A-b_c.9", &"x".repeat(64)] {
            assert_eq!(RequestId::new(good.as_bytes()).unwrap().as_str(), good);
        }
        for bad in ["", "a b", "a\"b", "a/b", "a,b", "é", &"x".repeat(65)] {
            assert_eq!(RequestId::new(bad.as_bytes()), None, "{bad}");
        }
    }
}
