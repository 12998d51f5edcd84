//! Runs the contract suite over every adapter of authentication.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, AtomicI64, Ordering},
};

use patrol_contract::authentication::Gate;
use patrol_domain::{
    Clock, StoreError, Timestamp, Versioned,
    access::{Authentication, Digest, MockTokens, Role, SecretGenerator as _, TokenOwner},
    ids::{TokenId, UserId, Uuid},
    shared::ports::MockClock,
    user::{MockUsers, User, UserStatus},
};
use serde_json::json;
use tempfile::TempDir;

use crate::{
    EitherTokens, JwtTokens, KeySource, OpaqueTokens, Provider, RandomSecrets,
    jwt::tests::{GUARD, ISSUER, NOON, guard, signer::Signer},
    use_ring,
};

/// The users, tokens and clock behind both kinds of credentials; fails when the store should fail.
struct World {
    /// Seconds since 1970.
    now: AtomicI64,
    /// `None` after the user was removed.
    user: Mutex<Option<User>>,
    /// The digests of the issued opaque tokens, with their expiry.
    issued: Mutex<Vec<(Digest, Option<Timestamp>)>>,
    failing: AtomicBool,
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(seconds * 1000).unwrap()
}

impl World {
    fn works(&self) -> Result<(), StoreError> {
        let failing = self.failing.load(Ordering::SeqCst);
        if failing { Err(StoreError::Unavailable("down".to_owned())) } else { Ok(()) }
    }

    fn clock(self: &Arc<Self>) -> Arc<dyn Clock> {
        let (world, mut clock) = (Arc::clone(self), MockClock::new());
        clock.expect_now().returning(move || at(world.now.load(Ordering::SeqCst)));
        Arc::new(clock)
    }

    fn opaque(self: &Arc<Self>) -> OpaqueTokens {
        let (world, mut tokens) = (Arc::clone(self), MockTokens::new());
        tokens.expect_owner().returning(move |digest| {
            world.works()?;
            let issued = world.issued.lock().unwrap();
            let found = issued.iter().find(|(known, _)| *known == digest);
            Ok(world.user.lock().unwrap().as_ref().zip(found).map(|(user, (_, expires_at))| {
                TokenOwner {
                    token: TokenId(Uuid::from_u128(1)),
                    user: user.id,
                    role: user.role,
                    status: user.status,
                    expires_at: *expires_at,
                }
            }))
        });
        OpaqueTokens::new(Arc::new(tokens), self.clock())
    }

    fn jwt(self: &Arc<Self>, folder: &TempDir, signer: &Signer) -> JwtTokens {
        let (world, mut users) = (Arc::clone(self), MockUsers::new());
        users.expect_get().returning(move |id| {
            world.works()?;
            let user = world.user.lock().unwrap().clone().filter(|user| user.id == id);
            Ok(user.map(Versioned::unversioned))
        });
        users.expect_find().returning(|_| Ok(Vec::new()));
        let path = folder.path().join("keys.json");
        std::fs::write(&path, json!({ "keys": [signer.public()] }).to_string()).unwrap();
        let (issuer, audience) = (ISSUER.to_owned(), "patrol".to_owned());
        use_ring();
        let provider = Provider { issuer, audience, keys: KeySource::File(path) };
        JwtTokens::new(provider, Arc::new(users), self.clock()).unwrap()
    }
}

/// The form of the credentials that a gate issues.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Opaque,
    Jwt,
}

/// An adapter and the world behind it.
struct Trial {
    world: Arc<World>,
    adapter: Box<dyn Authentication>,
    form: Form,
    signer: Signer,
    _folder: TempDir,
}

impl Trial {
    fn new(
        form: Form,
        adapter: impl FnOnce(OpaqueTokens, JwtTokens) -> Box<dyn Authentication>,
    ) -> Self {
        let user = Mutex::new(Some(guard(UserStatus::Active)));
        let (now, failing) = (AtomicI64::new(NOON), AtomicBool::new(false));
        let world = Arc::new(World { now, user, issued: Mutex::default(), failing });
        let (signer, folder) = (Signer::ecdsa("a"), tempfile::tempdir().unwrap());
        let adapter = adapter(world.opaque(), world.jwt(&folder, &signer));
        Self { world, adapter, form, signer, _folder: folder }
    }

    fn opaque() -> Self {
        Self::new(Form::Opaque, |opaque, _| Box::new(opaque))
    }

    fn jwt() -> Self {
        Self::new(Form::Jwt, |_, jwt| Box::new(jwt))
    }

    fn either(form: Form) -> Self {
        Self::new(form, |opaque, jwt| {
            Box::new(EitherTokens { opaque: Arc::new(opaque), jwt: Arc::new(jwt) })
        })
    }

    fn signed(&self, signer: &Signer, seconds: i64) -> String {
        let exp = self.world.now.load(Ordering::SeqCst) + seconds;
        let sub = GUARD.to_string();
        signer.sign(&json!({ "iss": ISSUER, "aud": "patrol", "sub": sub, "exp": exp }))
    }
}

impl Gate for Trial {
    fn authentication(&self) -> &dyn Authentication {
        self.adapter.as_ref()
    }

    fn user(&self) -> UserId {
        GUARD
    }

    fn change(&self, role: Role, status: UserStatus) {
        *self.world.user.lock().unwrap() = Some(User { role, ..guard(status) });
    }

    fn issue(&self, seconds: i64) -> String {
        if self.form == Form::Jwt {
            return self.signed(&self.signer, seconds);
        }
        let (secret, digest) = RandomSecrets.generate().unwrap();
        let expires_at = Some(at(self.world.now.load(Ordering::SeqCst) + seconds));
        self.world.issued.lock().unwrap().push((digest, expires_at));
        secret.0
    }

    /// A JWT cannot be revoked by itself, only by removing its user.
    fn revoke(&self) {
        match self.form {
            Form::Opaque => self.world.issued.lock().unwrap().clear(),
            Form::Jwt => *self.world.user.lock().unwrap() = None,
        }
    }

    fn foreign(&self) -> String {
        match self.form {
            Form::Opaque => RandomSecrets.generate().unwrap().0.0,
            Form::Jwt => self.signed(&Signer::ecdsa("a"), 3_600),
        }
    }

    fn advance(&self, seconds: i64) {
        self.world.now.fetch_add(seconds, Ordering::SeqCst);
    }

    fn fail(&self, failing: bool) {
        self.world.failing.store(failing, Ordering::SeqCst);
    }
}

mod opaque_tokens {
    use super::Trial;

    patrol_contract::authentication_cases!(Trial::opaque());
}

mod jwts {
    use super::Trial;

    patrol_contract::authentication_cases!(Trial::jwt());
}

mod either_by_opaque_tokens {
    use super::{Form, Trial};

    patrol_contract::authentication_cases!(Trial::either(Form::Opaque));
}

mod either_by_jwts {
    use super::{Form, Trial};

    patrol_contract::authentication_cases!(Trial::either(Form::Jwt));
}
