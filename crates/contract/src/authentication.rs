//! [`Authentication`].

use std::time::{Duration, Instant};

use patrol_domain::{
    access::{Authentication, Caller, Role},
    ids::UserId,
    user::UserStatus,
};

/// How long a change may take until it holds.
const HOLDS_WITHIN: Duration = Duration::from_secs(5);

/// An adapter over a store with one user, whom the cases change behind its back.
pub trait Gate: Sync {
    /// The port.
    fn authentication(&self) -> &dyn Authentication;

    /// The user whom the credentials are for; a manager and ACTIVE until it is changed.
    fn user(&self) -> UserId;

    /// Gives the user another role and status, of which the adapter is not notified.
    fn change(&self, role: Role, status: UserStatus);

    /// A new credential of the user, which expires after so many seconds of [`Self::advance`].
    fn issue(&self, seconds: i64) -> String;

    /// Takes back every credential that was issued, without a word to the adapter.
    fn revoke(&self);

    /// A credential in the right form that was never issued.
    fn foreign(&self) -> String;

    /// Sets the clock of the adapter forward.
    fn advance(&self, seconds: i64);

    /// From now on the store behind the adapter fails, or works again.
    fn fail(&self, failing: bool);
}

async fn passes(gate: &impl Gate, credential: &str) -> bool {
    gate.authentication().authenticate(credential).await.expect("a store that works").is_ok()
}

/// Waits until the credential is judged as `wanted`. What is asked 5 s after the change has to be.
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

/// A credential speaks for its user, with the role that the user has, as often as it is used.
pub async fn a_credential_speaks_for_its_user(gate: &impl Gate) {
    for role in [Role::Manager, Role::Employee, Role::Admin] {
        gate.change(role, UserStatus::Active);
        let credential = gate.issue(3_600);
        for _ in 0..3 {
            let caller = gate.authentication().authenticate(&credential).await;
            assert_eq!(caller, Ok(Ok(Caller { user: gate.user(), role })));
        }
    }
}

/// What has another form than a credential is refused, also when the store fails.
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

/// A credential that was never issued is refused, and none that was issued with it.
pub async fn an_unknown_credential_is_refused(gate: &impl Gate) {
    let good = gate.issue(3_600);
    assert!(passes(gate, &good).await);
    let foreign = gate.foreign();
    assert_ne!(foreign, good);
    assert!(!passes(gate, &foreign).await);
    assert!(passes(gate, &good).await);
}

/// A credential expires in its second, whether it was used before or not.
pub async fn an_expired_credential_is_refused(gate: &impl Gate) {
    let (used, unused) = (gate.issue(60), gate.issue(60));
    assert!(passes(gate, &used).await);
    gate.advance(59);
    assert!(passes(gate, &used).await);
    gate.advance(1);
    assert!(!passes(gate, &used).await);
    assert!(!passes(gate, &unused).await);
}

/// A user who is not ACTIVE has no valid credential, and has again once ACTIVE.
pub async fn a_user_who_is_not_active_is_refused(gate: &impl Gate) {
    gate.change(Role::Manager, UserStatus::Inactive);
    let credential = gate.issue(3_600);
    assert!(!passes(gate, &credential).await);
    gate.change(Role::Manager, UserStatus::Active);
    assert!(passes(gate, &credential).await);
}

/// Another role holds for a credential in use within 5 s.
pub async fn a_change_of_role_holds_within_5_s(gate: &impl Gate) {
    let credential = gate.issue(3_600);
    assert!(passes(gate, &credential).await);
    gate.change(Role::Employee, UserStatus::Active);
    let caller = Caller { user: gate.user(), role: Role::Employee };
    becomes(gate, &credential, |found| found == Some(caller)).await;
}

/// A user who is no longer ACTIVE is refused within 5 s.
pub async fn a_change_of_status_holds_within_5_s(gate: &impl Gate) {
    let credential = gate.issue(3_600);
    assert!(passes(gate, &credential).await);
    gate.change(Role::Manager, UserStatus::Inactive);
    becomes(gate, &credential, |found| found.is_none()).await;
}

/// A credential in use that is taken back is refused within 5 s.
pub async fn a_revocation_holds_within_5_s(gate: &impl Gate) {
    let credential = gate.issue(3_600);
    assert!(passes(gate, &credential).await);
    gate.revoke();
    becomes(gate, &credential, |found| found.is_none()).await;
}

/// A store that fails is an error, not a refusal, and is asked again the next time.
pub async fn an_outage_is_not_a_refusal(gate: &impl Gate) {
    let credential = gate.issue(3_600);
    gate.fail(true);
    let outage = gate.authentication().authenticate(&credential).await;
    assert!(outage.is_err(), "{outage:?}");
    gate.fail(false);
    assert!(passes(gate, &credential).await);
}
