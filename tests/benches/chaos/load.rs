//! Concurrent clients.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crate::{
    client::Client,
    guard::Guard,
    journal::Journal,
    service::Service,
    worker::{Worker, last_execution},
};

/// The number of clients that change records without a pause.
pub(crate) const WORKERS: u32 = 8;

/// The number of clients that report on rounds: more than one group of reports on each of two nodes.
pub(crate) const GUARDS: u32 = 96;

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
        let service = Arc::new(Service::new(WORKERS + GUARDS));
        let stop = Arc::new(AtomicBool::new(false));
        let shared: Vec<_> = addresses.iter().map(|address| Client::new(address, token)).collect();
        let clients = (0..WORKERS + GUARDS).zip(addresses.iter().zip(&shared).cycle());
        let workers = clients.map(|(number, (address, shared))| {
            let (service, stop) = (Arc::clone(&service), Arc::clone(&stop));
            let Some(guard) = number.checked_sub(WORKERS) else {
                let worker = Worker::new(number, Client::new(address, token), service);
                return thread::spawn(move || worker.run(&stop));
            };
            let walker = Guard::new(number, shared.clone(), service);
            thread::spawn(move || walker.run(last_execution(WORKERS), guard, &stop))
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
