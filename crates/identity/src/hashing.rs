//! Hashes passwords for requests: on other threads than theirs, and with bounded memory.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use patrol_domain::{
    access::PasswordHasher,
    sign_in::{HashingError, PasswordHashing},
};
use tokio::{sync::Semaphore, task, time};

use crate::password::{Argon2Hasher, MEMORY, NO_PASSWORD};

/// The memory for all hashes that are computed at a time, in bytes.
const BUDGET: usize = 128 << 20;

/// How long a password waits for its turn.
const PATIENCE: Duration = Duration::from_secs(5);

/// Argon2id on the threads for blocking work. As many hashes are computed at a time as the machine has
/// cores, and not more than 128 MiB allow; the others wait in the order of their arrival.
pub struct BoundedHashing<H = Argon2Hasher> {
    hasher: Arc<H>,
    turns: Arc<Semaphore>,
    patience: Duration,
}

impl BoundedHashing {
    /// Hashes with [`Argon2Hasher`].
    #[must_use]
    pub fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self::with(Argon2Hasher, (BUDGET / MEMORY).min(cores), PATIENCE)
    }
}

impl Default for BoundedHashing {
    fn default() -> Self {
        Self::new()
    }
}

impl<H: PasswordHasher + 'static> BoundedHashing<H> {
    fn with(hasher: H, at_a_time: usize, patience: Duration) -> Self {
        Self { hasher: Arc::new(hasher), turns: Arc::new(Semaphore::new(at_a_time)), patience }
    }

    /// Runs `work` when it is its turn. The turn ends with the work, also when the caller has gone.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&H) -> Result<T, String> + Send + 'static,
    ) -> Result<T, HashingError> {
        let turn = time::timeout(self.patience, Arc::clone(&self.turns).acquire_owned()).await;
        let turn = turn.map_err(|_| HashingError::Busy)?;
        let turn = turn.map_err(|error| HashingError::Failed(error.to_string()))?;
        let hasher = Arc::clone(&self.hasher);
        let done = task::spawn_blocking(move || {
            let done = work(&hasher);
            drop(turn);
            done
        });
        // A panic of the work is reported without its message, which could contain a password.
        let done = done.await.map_err(|_| HashingError::Failed("the work was ended".to_owned()))?;
        done.map_err(HashingError::Failed)
    }
}

#[async_trait]
impl<H: PasswordHasher + 'static> PasswordHashing for BoundedHashing<H> {
    async fn hash(&self, password: String) -> Result<String, HashingError> {
        self.run(move |hasher| hasher.hash(&password)).await
    }

    async fn verify(&self, password: String, hash: Option<String>) -> Result<bool, HashingError> {
        self.run(move |hasher| {
            let is_known = hash.is_some();
            let is_right = hasher.verify(&password, hash.as_deref().unwrap_or(NO_PASSWORD))?;
            Ok(is_right && is_known)
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Condvar, Mutex,
        atomic::{AtomicUsize, Ordering},
    };

    use super::*;

    /// A hasher that waits until it may go on, and counts the hashes in progress.
    #[derive(Default)]
    struct Slow {
        running: AtomicUsize,
        most: AtomicUsize,
        may_go_on: Mutex<bool>,
        changed: Condvar,
        verified: Mutex<Vec<String>>,
    }

    impl Slow {
        fn go_on(&self) {
            *self.may_go_on.lock().unwrap() = true;
            self.changed.notify_all();
        }

        async fn until_running(&self, count: usize) {
            while self.running.load(Ordering::SeqCst) < count {
                time::sleep(Duration::from_millis(1)).await;
            }
        }
    }

    impl PasswordHasher for Slow {
        fn hash(&self, password: &str) -> Result<String, String> {
            let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(running, Ordering::SeqCst);
            let waiting = self.may_go_on.lock().unwrap();
            drop(self.changed.wait_while(waiting, |may_go_on| !*may_go_on).unwrap());
            self.running.fetch_sub(1, Ordering::SeqCst);
            Ok(format!("hash of {password}"))
        }

        fn verify(&self, _: &str, hash: &str) -> Result<bool, String> {
            self.verified.lock().unwrap().push(hash.to_owned());
            Ok(true)
        }
    }

    fn hashing(at_a_time: usize, patience: Duration) -> Arc<BoundedHashing<Slow>> {
        Arc::new(BoundedHashing::with(Slow::default(), at_a_time, patience))
    }

    fn start(
        hashing: &Arc<BoundedHashing<Slow>>,
    ) -> task::JoinHandle<Result<String, HashingError>> {
        let hashing = Arc::clone(hashing);
        tokio::spawn(async move { hashing.hash("a".to_owned()).await })
    }

    #[tokio::test]
    async fn a_bounded_number_is_hashed_at_a_time_and_all_get_their_turn() {
        let hashing = hashing(2, Duration::from_secs(3600));
        let all: Vec<_> = (0..9).map(|_| start(&hashing)).collect();
        hashing.hasher.until_running(2).await;
        hashing.hasher.go_on();
        for one in all {
            assert_eq!(one.await.unwrap(), Ok("hash of a".to_owned()));
        }
        assert_eq!(hashing.hasher.most.load(Ordering::SeqCst), 2);
    }

    #[tokio::test]
    async fn a_password_whose_turn_does_not_come_is_given_up() {
        let hashing = hashing(1, Duration::from_millis(20));
        let first = start(&hashing);
        hashing.hasher.until_running(1).await;
        assert_eq!(hashing.hash("b".to_owned()).await, Err(HashingError::Busy));
        hashing.hasher.go_on();
        assert!(first.await.unwrap().is_ok());
    }

    #[tokio::test]
    async fn a_caller_who_has_gone_keeps_its_turn_until_the_work_is_done() {
        let hashing = hashing(1, Duration::from_millis(20));
        let first = start(&hashing);
        hashing.hasher.until_running(1).await;
        first.abort();
        assert!(first.await.unwrap_err().is_cancelled());
        assert_eq!(hashing.hash("b".to_owned()).await, Err(HashingError::Busy));
        hashing.hasher.go_on();
    }

    #[tokio::test]
    async fn without_a_hash_the_answer_is_no_after_the_same_work() {
        let hashing = hashing(1, Duration::from_secs(3600));
        let verify = |hash: Option<&str>| hashing.verify("a".into(), hash.map(str::to_owned));
        assert_eq!(verify(Some("x")).await, Ok(true));
        assert_eq!(verify(None).await, Ok(false));
        assert_eq!(*hashing.hasher.verified.lock().unwrap(), ["x", NO_PASSWORD]);
    }

    #[tokio::test]
    async fn all_hashes_at_a_time_fit_into_the_budget() {
        let hashing = BoundedHashing::new();
        let turns = hashing.turns.available_permits();
        assert!(turns >= 1 && turns * MEMORY <= 128 << 20, "{turns}");
        let hash = hashing.hash("correct horse".to_owned()).await.unwrap();
        assert_eq!(hashing.verify("correct horse".into(), Some(hash)).await, Ok(true));
    }
}
