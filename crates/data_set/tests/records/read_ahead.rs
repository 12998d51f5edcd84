//! Reading on a thread of its own.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    time::Duration,
};

use patrol_data_set::read_ahead;
use patrol_domain::{data_set::Record, scheduled_task::ScheduledTask};

use crate::sample::{id, lines, with_ids};

type Item = Result<(u64, Record), String>;

fn task(number: u64) -> Item {
    let name = format!("Round {number}");
    Ok((number, Record::from(ScheduledTask::new(id(1), name))))
}

#[test]
fn records_keep_their_order() {
    let read: Vec<_> = read_ahead((0..3_000).map(task)).collect();
    let wanted: Vec<_> = (0..3_000).map(task).collect();
    assert_eq!(read, wanted);
    assert_eq!(read_ahead(std::iter::empty()).count(), 0);
}

#[test]
fn an_error_is_the_last_item() {
    let good = with_ids(r##"{"kind":"scheduledTask","id":"#1","name":"Round"}"##);
    let mut read = read_ahead(lines(format!("{good}\n{{]\n{good}\n")));
    assert!(matches!(read.next(), Some(Ok((1, _)))));
    assert!(read.next().unwrap().unwrap_err().starts_with("line 2: not a JSON object: "));
    assert!(read.next().is_none());
    // The same if the source would continue after the error.
    let mut read = read_ahead([Err("broken".to_owned()), task(2)].into_iter());
    assert_eq!(read.next(), Some(Err("broken".to_owned())));
    assert_eq!(read.next(), None);
    assert_eq!(read.next(), None);
}

/// A source without end that counts its records and reports when it is dropped.
struct Endless {
    read: Arc<AtomicU64>,
    _dropped: mpsc::Sender<()>,
}

impl Iterator for Endless {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        Some(task(self.read.fetch_add(1, Ordering::Relaxed)))
    }
}

#[test]
fn dropping_the_records_stops_the_thread_which_reads_only_a_bounded_number_ahead() {
    let count = Arc::new(AtomicU64::new(0));
    let (sender, dropped) = mpsc::channel();
    let mut read = read_ahead(Endless { read: Arc::clone(&count), _dropped: sender });
    assert_eq!(read.next(), Some(task(0)));
    drop(read);
    // The thread drops the source and the sender when it ends.
    assert_eq!(
        dropped.recv_timeout(Duration::from_secs(20)),
        Err(mpsc::RecvTimeoutError::Disconnected)
    );
    assert!(count.load(Ordering::Relaxed) < 1_000);
}

#[test]
fn a_panic_of_the_thread_is_an_error_and_not_the_end() {
    let mut read = read_ahead((0..).map(|number| match number {
        2 => panic!("intended by the test"),
        _ => task(number),
    }));
    assert!(matches!(read.next(), Some(Ok(_))));
    assert!(matches!(read.next(), Some(Ok(_))));
    assert_eq!(read.next(), Some(Err("reading the data set stopped unexpectedly".to_owned())));
    assert_eq!(read.next(), None);
}
