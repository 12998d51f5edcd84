//! Concurrent clients.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crate::{client::Client, journal::Journal, service::Service, worker::Worker};

/// The number of concurrent clients.
pub(crate) const WORKERS: u32 = 8;

/// Running clients.
pub(crate) struct Load {
    /// The results of their requests.
    pub(crate) service: Arc<Service>,
    stop: Arc<AtomicBool>,
    workers: Vec<JoinHandle<Journal>>,
}

impl Load {
    /// Starts the clients. Client `n` uses address `n` modulo the number of addresses.
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

    /// Lets the clients finish their current request, and returns their journals.
    pub(crate) fn finish(self) -> (Arc<Service>, Vec<Journal>) {
        self.stop.store(true, Ordering::Relaxed);
        let each = self.workers.into_iter().map(|worker| worker.join().expect("a client works"));
        (self.service, each.collect())
    }
}
