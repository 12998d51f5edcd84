//! Reading ahead.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    time::Duration,
};

use patrol_data_set::ahead;
use patrol_domain::data_set::{Record, ScheduledTask};

use crate::sample::{id, lines, with_ids};

type Item = Result<(u64, Record), String>;

fn task(number: u64) -> Item {
    let name = format!("Round {number}");
    Ok((number, Record::ScheduledTask(ScheduledTask { id: id(1), name, description: None })))
}

#[test]
fn records_come_in_their_order() {
    let read: Vec<_> = ahead((0..3_000).map(task)).collect();
    let wanted: Vec<_> = (0..3_000).map(task).collect();
    assert_eq!(read, wanted);
    assert_eq!(ahead(std::iter::empty()).count(), 0);
}

#[test]
fn an_error_is_the_last_item() {
    let good = with_ids(r##"{"kind":"scheduledTask","id":"#1","name":"Round"}"##);
    let mut read = ahead(lines(format!("{good}\n{{]\n{good}\n")));
    assert!(matches!(read.next(), Some(Ok((1, _)))));
    assert!(read.next().unwrap().unwrap_err().starts_with("line 2: not a JSON object: "));
    assert!(read.next().is_none());
    // Also when the source has more records.
    let mut read = ahead([Err("broken".to_owned()), task(2)].into_iter());
    assert_eq!(read.next(), Some(Err("broken".to_owned())));
    assert_eq!(read.next(), None);
    assert_eq!(read.next(), None);
}

/// A source that reports when it is dropped.
struct Endless {
    given: Arc<AtomicU64>,
    _dropped: mpsc::Sender<()>,
}

impl Iterator for Endless {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        Some(task(self.given.fetch_add(1, Ordering::Relaxed)))
    }
}

#[test]
fn who_stops_reading_stops_the_thread_and_it_is_never_far_ahead() {
    let given = Arc::new(AtomicU64::new(0));
    let (sender, dropped) = mpsc::channel();
    let mut read = ahead(Endless { given: Arc::clone(&given), _dropped: sender });
    assert_eq!(read.next(), Some(task(0)));
    drop(read);
    // The thread drops the source and the sender when it ends.
    assert_eq!(
        dropped.recv_timeout(Duration::from_secs(20)),
        Err(mpsc::RecvTimeoutError::Disconnected)
    );
    assert!(given.load(Ordering::Relaxed) < 1_000);
}

#[test]
fn a_thread_that_breaks_off_is_an_error_and_no_end() {
    let mut read = ahead((0..).map(|number| match number {
        2 => panic!("this panic is meant"),
        _ => task(number),
    }));
    assert!(matches!(read.next(), Some(Ok(_))));
    assert!(matches!(read.next(), Some(Ok(_))));
    assert_eq!(read.next(), Some(Err("the reading of the data set broke off".to_owned())));
    assert_eq!(read.next(), None);
}
