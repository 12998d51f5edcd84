//! [`Authentication`].

use std::time::{Duration, Instant};

use patrol_domain::{
    access::{Authentication, Caller, Role},
    ids::UserId,
    user::UserStatus,
};

/// How long a change may take to have an effect.
const HOLDS_WITHIN: Duration = Duration::from_secs(5);

/// An adapter over a store with one user. The cases change the user without notifying the adapter.
pub trait Gate: Sync {
    /// The adapter.
    fn authentication(&self) -> &dyn Authentication;

    /// The user of the credentials: an ACTIVE manager until it is changed.
    fn user(&self) -> UserId;

    /// Changes the user's role and status without notifying the adapter.
    fn change(&self, role: Role, status: UserStatus);

    /// A new credential of the user that expires after this many seconds of [`Self::advance`].
    fn issue(&self, seconds: i64) -> String;

    /// Revokes every issued credential without notifying the adapter.
    fn revoke(&self);

    /// A well-formed credential that was never issued.
    fn foreign(&self) -> String;

    /// Moves the clock of the adapter forward.
    fn advance(&self, seconds: i64);

    /// Makes the store behind the adapter fail, or work again.
    fn fail(&self, failing: bool);
}

async fn passes(gate: &impl Gate, credential: &str) -> bool {
    gate.authentication().authenticate(credential).await.expect("a store that works").is_ok()
}

/// Waits until the credential gives the wanted result. A request 5 s after the change must give it.
async fn becomes(gate: &impl Gate, credential: &str, wanted: impl Fn(Option<Caller>) -> bool) {
    let changed = Instant::now();
    loop {
        let asked = changed.elapsed();
        let found = gate.authentication().authenticate(credential).await;
        let caller = found.expect("a store that works").ok();
        if wanted(caller) {
            return;
        }
        assert!(asked < HOLDS_WITHIN, "{caller:?} {asked:?} after the change");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// A credential authenticates its user with the user's current role, also when it is used again.
pub async fn a_credential_speaks_for_its_user(gate: &impl Gate) {
    for role in [Role::Manager, Role::Employee, Role::Admin] {
        gate.change(role, UserStatus::Active);
        let credential = gate.issue(3_600);
        for _ in 0..3 {
            let caller = gate.authentication().authenticate(&credential).await;
            let caller = caller.map(|caller| caller.map(|caller| (caller.user, caller.role)));
            assert_eq!(caller, Ok(Ok((gate.user(), role))));
        }
    }
}

/// A malformed credential is refused, also while the store fails.
pub async fn a_malformed_credential_is_refused(gate: &impl Gate) {
    let good = gate.issue(3_600);
    for failing in [false, true] {
        gate.fail(failing);
        for malformed in ["", "ptl_", "ptl_short", "a.b", "a.b.c", "Ёж", &good[1..]] {
            let refused = gate.authentication().authenticate(malformed).await;
            assert!(matches!(refused, Ok(Err(_))), "{malformed:?}: {refused:?}");
        }
    }
}

/// A credential that was never issued is refused, while issued ones stay valid.
pub async fn an_unknown_credential_is_refused(gate: &impl Gate) {
    let good = gate.issue(3_600);
    assert!(passes(gate, &good).await);
    let foreign = gate.foreign();
    assert_ne!(foreign, good);
    assert!(!passes(gate, &foreign).await);
    assert!(passes(gate, &good).await);
}

/// A credential expires in its second, also when it was used before.
pub async fn an_expired_credential_is_refused(gate: &impl Gate) {
    let (used, unused) = (gate.issue(60), gate.issue(60));
    assert!(passes(gate, &used).await);
    gate.advance(59);
    assert!(passes(gate, &used).await);
    gate.advance(1);
    assert!(!passes(gate, &used).await);
    assert!(!passes(gate, &unused).await);
}

/// The credentials of a user who is not ACTIVE are refused, and valid again once the user is
/// ACTIVE.
pub async fn a_user_who_is_not_active_is_refused(gate: &impl Gate) {
    gate.change(Role::Manager, UserStatus::Inactive);
    let credential = gate.issue(3_600);
    assert!(!passes(gate, &credential).await);
    gate.change(Role::Manager, UserStatus::Active);
    assert!(passes(gate, &credential).await);
}

/// A new role takes effect within 5 s for a credential in use.
pub async fn a_change_of_role_holds_within_5_s(gate: &impl Gate) {
    let credential = gate.issue(3_600);
    assert!(passes(gate, &credential).await);
    gate.change(Role::Employee, UserStatus::Active);
    let wanted = Some((gate.user(), Role::Employee));
    becomes(gate, &credential, |found| found.map(|caller| (caller.user, caller.role)) == wanted)
        .await;
}

/// A user who is no longer ACTIVE is refused within 5 s.
pub async fn a_change_of_status_holds_within_5_s(gate: &impl Gate) {
    let credential = gate.issue(3_600);
    assert!(passes(gate, &credential).await);
    gate.change(Role::Manager, UserStatus::Inactive);
    becomes(gate, &credential, |found| found.is_none()).await;
}

/// A revoked credential in use is refused within 5 s.
pub async fn a_revocation_holds_within_5_s(gate: &impl Gate) {
    let credential = gate.issue(3_600);
    assert!(passes(gate, &credential).await);
    gate.revoke();
    becomes(gate, &credential, |found| found.is_none()).await;
}

/// A failing store gives an error, not a refusal, and is asked again at the next request.
pub async fn an_outage_is_not_a_refusal(gate: &impl Gate) {
    let credential = gate.issue(3_600);
    gate.fail(true);
    let outage = gate.authentication().authenticate(&credential).await;
    assert!(outage.is_err(), "{outage:?}");
    gate.fail(false);
    assert!(passes(gate, &credential).await);
}
