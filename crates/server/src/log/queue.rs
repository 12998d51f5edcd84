//! Moves log writes off the threads that log. A thread puts its line into a queue and never waits.
//! When the queue is full, lines are dropped, counted and reported. A process that is killed may
//! lose the lines of its last [`PAUSE`].

use std::{
    io::{self, BufWriter, Write},
    sync::{Arc, Mutex, OnceLock, PoisonError, Weak},
    thread,
    time::Duration,
};

use tracing_appender::non_blocking::{ErrorCounter, NonBlocking, NonBlockingBuilder, WorkerGuard};

/// The most lines that wait: those of about two seconds at 18,000 requests a second.
const LINES: usize = 1 << 15;
/// How long lines are collected before the next write. Without it, each line wakes the writer.
const PAUSE: Duration = Duration::from_millis(5);
/// The most bytes of one write.
const WRITE: usize = 1 << 16;

/// The end of the queue. When it is dropped, also during a panic, the lines in the queue are
/// written; this takes at most about a second, so that a stuck reader does not keep the process.
pub(crate) struct LogEnd(Arc<Mutex<Option<WorkerGuard>>>);

/// Ends the log before the process exits elsewhere than at the end of `main`.
pub(crate) struct EarlyEnd(Weak<Mutex<Option<WorkerGuard>>>);

/// A queue in front of `sink`, and its end. Lines are lost when the sink fails, since errors cannot
/// be reported elsewhere.
pub(super) fn start(sink: impl Write + Send + 'static) -> (NonBlocking, LogEnd) {
    let lost = Arc::new(OnceLock::new());
    let batches = Batches {
        sink: BufWriter::with_capacity(WRITE, sink),
        lost: Arc::clone(&lost),
        reported: 0,
    };
    let (queue, guard) = NonBlockingBuilder::default()
        .buffered_lines_limit(LINES)
        .thread_name("log")
        .finish(batches);
    lost.get_or_init(|| queue.error_counter());
    (queue, LogEnd(Arc::new(Mutex::new(Some(guard)))))
}

impl LogEnd {
    /// A handle that another thread can keep.
    pub(crate) fn early(&self) -> EarlyEnd {
        EarlyEnd(Arc::downgrade(&self.0))
    }
}

impl EarlyEnd {
    /// Writes the lines in the queue, as dropping [`LogEnd`] does. Later lines are lost.
    pub(crate) fn end(&self) {
        if let Some(guard) = self.0.upgrade() {
            drop(guard.lock().unwrap_or_else(PoisonError::into_inner).take());
        }
    }
}

/// Writes the lines of a batch together, then pauses.
struct Batches<W: Write> {
    sink: BufWriter<W>,
    lost: Arc<OnceLock<ErrorCounter>>,
    /// How many lost lines the log has reported.
    reported: usize,
}

impl<W: Write> Write for Batches<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.sink.write(line)
    }

    /// The queue calls this when it is empty.
    fn flush(&mut self) -> io::Result<()> {
        let lost = self.lost.get().map_or(0, ErrorCounter::dropped_lines);
        let lines = lost - self.reported;
        if lines > 0 {
            tracing::error!(lines, "lines of the log were lost: they were not read fast enough");
            self.reported = lost;
        }
        // An error would keep the queue from ending.
        let _ = self.sink.flush();
        thread::sleep(PAUSE);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{Condvar, MutexGuard},
        time::Instant,
    };

    use super::*;

    /// A sink that stores what is written, once its gate is open.
    #[derive(Clone, Default)]
    struct Gated(Arc<(Mutex<bool>, Condvar, Mutex<Vec<u8>>)>);

    impl Gated {
        fn open(&self) {
            *self.0.0.lock().unwrap() = true;
            self.0.1.notify_all();
        }

        fn wait(&self) -> MutexGuard<'_, bool> {
            self.0.1.wait_while(self.0.0.lock().unwrap(), |open| !*open).unwrap()
        }

        fn text(&self) -> String {
            String::from_utf8(self.0.2.lock().unwrap().clone()).unwrap()
        }
    }

    impl Write for Gated {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            drop(self.wait());
            self.0.2.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn every_line_is_written_at_the_end_whole_and_in_its_threads_order() {
        let sink = Gated::default();
        sink.open();
        let (queue, end) = start(sink.clone());
        let padding = "x".repeat(500);
        thread::scope(|scope| {
            for thread in 0..8 {
                let (mut queue, padding) = (queue.clone(), &padding);
                scope.spawn(move || {
                    for line in 0..1000 {
                        let line = format!("{thread} {line} {padding}\n");
                        queue.write_all(line.as_bytes()).unwrap();
                    }
                });
            }
        });
        end.early().end();
        let written = sink.text();
        assert_eq!(written.lines().count(), 8000);
        for thread in 0..8 {
            let own = written.lines().filter(|line| line.starts_with(&format!("{thread} ")));
            for (at, line) in own.enumerate() {
                assert_eq!(line, format!("{thread} {at} {padding}"));
            }
        }
    }

    #[test]
    fn a_log_that_is_not_read_delays_no_thread_and_reports_what_is_lost() {
        let sink = Gated::default();
        let (queue, end) = start(sink.clone());
        // The report is an event like others, also in the form of a line.
        let log = tracing_subscriber::fmt().json().with_writer(queue.clone()).finish();
        tracing::subscriber::set_global_default(log).unwrap();
        let start = Instant::now();
        let all = 2 * LINES;
        for _ in 0..all {
            queue.clone().write_all(b"line\n").unwrap();
        }
        assert!(start.elapsed() < Duration::from_secs(5));
        sink.open();
        let report = loop {
            let text = sink.text();
            if let Some(report) = text.lines().find(|line| line.contains("were lost")) {
                break report.to_owned();
            }
            assert!(start.elapsed() < Duration::from_secs(20), "no report");
            thread::sleep(PAUSE);
        };
        drop(end);
        let lost: usize = report
            .split_once("\"lines\":")
            .and_then(|(_, rest)| rest.split(|c: char| !c.is_ascii_digit()).next())
            .and_then(|lines| lines.parse().ok())
            .unwrap();
        let kept = sink.text().lines().filter(|line| *line == "line").count();
        assert_eq!(kept + lost, all);
    }

    #[test]
    fn a_log_that_is_not_read_ends_within_seconds() {
        let (mut queue, end) = start(Gated::default());
        for _ in 0..2 * LINES {
            queue.write_all(b"line\n").unwrap();
        }
        let start = Instant::now();
        drop(end);
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}
