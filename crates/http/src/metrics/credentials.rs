//! Counts rejected credentials.

use patrol_domain::{Counter, Metric, Monitored, access::Rejection};

/// Rejected credentials by reason, and those that were refused because their address had sent too
/// many.
#[derive(Default)]
pub(crate) struct CredentialMetrics {
    missing: Counter,
    malformed: Counter,
    unknown: Counter,
    expired: Counter,
    inactive_user: Counter,
    /// JWTs of another issuer, for another audience, or not valid yet.
    other_provider: Counter,
    signature: Counter,
    claims: Counter,
    unknown_subject: Counter,
    ended_session: Counter,
    throttled: Counter,
}

impl CredentialMetrics {
    /// Counts a request without a credential.
    pub(crate) fn note_missing(&self) {
        self.missing.increment();
    }

    /// Counts a rejected credential.
    pub(crate) fn note(&self, rejection: &Rejection) {
        match rejection {
            Rejection::Malformed => &self.malformed,
            Rejection::UnknownToken => &self.unknown,
            Rejection::ExpiredToken(_) | Rejection::Expired => &self.expired,
            Rejection::InactiveUser(_) => &self.inactive_user,
            Rejection::NotYetValid | Rejection::Issuer | Rejection::Audience => {
                &self.other_provider
            }
            Rejection::Signature
            | Rejection::UnknownKey
            | Rejection::Algorithm
            | Rejection::Extension => &self.signature,
            Rejection::MissingClaim(_) | Rejection::Claims => &self.claims,
            Rejection::UnknownSubject | Rejection::AmbiguousSubject(_) => &self.unknown_subject,
            Rejection::EndedSession => &self.ended_session,
        }
        .increment();
    }

    /// Counts a wrong credential that was answered with 429.
    pub(crate) fn note_throttled(&self) {
        self.throttled.increment();
    }
}

impl Monitored for CredentialMetrics {
    fn metrics(&self) -> Vec<Metric> {
        let rejected = [
            ("missing", &self.missing),
            ("malformed", &self.malformed),
            ("unknown", &self.unknown),
            ("expired", &self.expired),
            ("inactive_user", &self.inactive_user),
            ("other_provider", &self.other_provider),
            ("signature", &self.signature),
            ("claims", &self.claims),
            ("unknown_subject", &self.unknown_subject),
            ("ended_session", &self.ended_session),
        ];
        let rejected = rejected.into_iter().map(|(reason, counter)| {
            counter.metric(
                "http_credentials_rejected_total",
                "Requests whose credential was missing or rejected, by reason.",
                Some(("reason", reason)),
            )
        });
        let throttled = self.throttled.metric(
            "http_credentials_throttled_total",
            "Wrong credentials answered with 429, because their address had sent too many.",
            None,
        );
        rejected.chain([throttled]).collect()
    }
}
