//! Many clients at work.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crate::{client::Client, journal::Journal, service::Service, worker::Worker};

/// Clients that work at the same time.
pub(crate) const WORKERS: u32 = 8;

/// Clients at work, until they are told to stop.
pub(crate) struct Load {
    /// What they see.
    pub(crate) service: Arc<Service>,
    stop: Arc<AtomicBool>,
    workers: Vec<JoinHandle<Journal>>,
}

impl Load {
    /// Clients of these addresses, in turn: the client `n` talks to the `n`th, modulo their number.
    pub(crate) fn start(addresses: &[String], token: &str) -> Self {
        let service = Arc::new(Service::new(WORKERS));
        let stop = Arc::new(AtomicBool::new(false));
        let workers = (0..WORKERS).zip(addresses.iter().cycle()).map(|(number, address)| {
            let worker = Worker::new(number, Client::new(address, token), Arc::clone(&service));
            let stop = Arc::clone(&stop);
            thread::spawn(move || worker.run(&stop))
        });
        let workers = workers.collect();
        let load = Self { service, stop, workers };
        let limit = Duration::from_secs(10);
        let whole = load.service.wait_until_whole(Instant::now(), limit);
        assert!(whole.is_some(), "the service does not begin to work");
        load
    }

    /// Lets them finish what they are at, and gives their journals.
    pub(crate) fn finish(self) -> (Arc<Service>, Vec<Journal>) {
        self.stop.store(true, Ordering::Relaxed);
        let each = self.workers.into_iter().map(|worker| worker.join().expect("a client works"));
        (self.service, each.collect())
    }
}
