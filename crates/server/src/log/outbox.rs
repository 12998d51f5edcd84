//! Moves log writes off the threads that log. Threads append lines to a buffer, and one thread
//! writes many lines at a time. When the buffer is full, threads wait; [`Outbox::flush`] waits
//! until everything is written. So no line is lost while the output is read. After [`PATIENCE`]
//! without a reader, lines are dropped and counted, so that the server does not hang. A process
//! that is killed may lose the lines of its last [`PAUSE`].

use std::{
    io::{self, Write},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use patrol_domain::{Metric, MetricKind, Monitored};
use tracing_subscriber::fmt::MakeWriter;

/// How long lines are collected before the next write.
const PAUSE: Duration = Duration::from_millis(5);
/// The size in bytes at which the buffer is full.
const FULL: usize = 1 << 20;
/// How long a flush or a full buffer waits for the reader of the log.
const PATIENCE: Duration = Duration::from_secs(2);

/// The queue of log lines.
#[derive(Clone)]
pub(crate) struct Outbox {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    /// A line was added while the writer was idle.
    arrived: Condvar,
    /// The writer should write at once.
    hurry: Condvar,
    /// Lines were taken or written, so there is space in the buffer.
    moved: Condvar,
}

#[derive(Default)]
struct State {
    lines: Vec<u8>,
    /// The writer waits for lines.
    idle: bool,
    /// The writer is writing.
    writing: bool,
    /// The number of threads that wait in a flush.
    flushing: usize,
    /// The log was not read for so long that lines are dropped.
    stuck: bool,
    /// The number of dropped lines that the log does not report yet.
    dropped: u64,
    /// The number of lines dropped so far.
    lost: u64,
    /// The number of writes that failed, so that their lines are lost.
    failed: u64,
}

impl Outbox {
    /// An outbox that writes to `sink`. Lines are lost when the sink fails, since errors cannot be
    /// reported elsewhere.
    pub(crate) fn start(mut sink: impl Write + Send + 'static) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            state: Mutex::new(State { idle: true, ..State::default() }),
            arrived: Condvar::new(),
            hurry: Condvar::new(),
            moved: Condvar::new(),
        });
        let writer = Arc::clone(&shared);
        thread::Builder::new().name("log".to_owned()).spawn(move || writer.run(&mut sink))?;
        Ok(Self { shared })
    }

    /// A guard that flushes the outbox at the end of its scope.
    #[must_use]
    pub(crate) const fn flushed_at_end(&self) -> FlushedAtEnd<'_> {
        FlushedAtEnd(self)
    }

    /// Waits until everything logged so far is written, at most 2 s.
    pub(crate) fn flush(&self) {
        let end = Instant::now() + PATIENCE;
        let mut state = self.shared.lock();
        state.flushing += 1;
        self.shared.hurry.notify_one();
        while state.writing || !state.lines.is_empty() {
            let Some(left) = end.checked_duration_since(Instant::now()) else { break };
            let waited = self.shared.moved.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.flushing -= 1;
    }
}

impl Monitored for Outbox {
    fn metrics(&self) -> Vec<Metric> {
        let State { lost, failed, .. } = *self.shared.lock();
        let counter = |name, help, value: u64| Metric {
            kind: MetricKind::Counter,
            ..Metric::gauge_of(name, help, None, value)
        };
        vec![
            counter(
                "patrol_log_lines_lost_total",
                "Lines of the log that were dropped, because it was not read.",
                lost,
            ),
            counter(
                "patrol_log_failed_writes_total",
                "Writes of the log that failed, each with all lines of some milliseconds.",
                failed,
            ),
        ]
    }
}

/// Flushes an outbox when dropped, also during a panic.
pub(crate) struct FlushedAtEnd<'a>(&'a Outbox);

impl Drop for FlushedAtEnd<'_> {
    fn drop(&mut self) {
        self.0.flush();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn append(&self, line: &[u8]) {
        let mut state = self.lock();
        while state.lines.len() >= FULL && !state.stuck {
            self.hurry.notify_one();
            let waited = self.moved.wait_timeout(state, PATIENCE);
            let (waited, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            state = waited;
            state.stuck = timeout.timed_out() && state.lines.len() >= FULL;
        }
        if state.stuck {
            state.dropped += 1;
            state.lost += 1;
            return;
        }
        state.lines.extend_from_slice(line);
        if state.idle {
            state.idle = false;
            self.arrived.notify_one();
        }
    }

    fn run(&self, sink: &mut impl Write) {
        let mut taken = Vec::new();
        let mut state = self.lock();
        loop {
            while state.lines.is_empty() {
                state.idle = true;
                state = self.arrived.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            state.idle = false;
            std::mem::swap(&mut state.lines, &mut taken);
            state.writing = true;
            self.moved.notify_all();
            drop(state);
            let written = sink.write_all(&taken).and_then(|()| sink.flush());
            taken.clear();
            state = self.lock();
            state.failed += u64::from(written.is_err());
            state.writing = false;
            state.stuck = false;
            let dropped = std::mem::take(&mut state.dropped);
            if dropped > 0 {
                let report =
                    format!("{dropped} lines of the log were dropped, because it was not read\n");
                state.lines.extend_from_slice(report.as_bytes());
            }
            self.moved.notify_all();
            if state.flushing == 0 && state.lines.len() < FULL {
                let waited = self.hurry.wait_timeout(state, PAUSE);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
        }
    }
}

/// The writer for one log line.
pub(crate) struct Line(Arc<Shared>);

impl Write for Line {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.append(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Outbox {
    type Writer = Line;

    fn make_writer(&self) -> Line {
        Line(Arc::clone(&self.shared))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A slow sink that stores what is written.
    #[derive(Clone, Default)]
    struct Slow(Arc<Mutex<Vec<u8>>>);

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            thread::sleep(Duration::from_millis(1));
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn every_line_is_out_after_a_flush_whole_and_in_its_threads_order() {
        let sink = Slow::default();
        let outbox = Outbox::start(sink.clone()).unwrap();
        // More than the buffer can take at once.
        let padding = "x".repeat(500);
        thread::scope(|scope| {
            for thread in 0..8 {
                let (outbox, padding) = (&outbox, &padding);
                scope.spawn(move || {
                    for line in 0..1000 {
                        let line = format!("{thread} {line} {padding}\n");
                        outbox.make_writer().write_all(line.as_bytes()).unwrap();
                    }
                });
            }
        });
        outbox.flush();
        let written = String::from_utf8(sink.0.lock().unwrap().clone()).unwrap();
        assert_eq!(written.lines().count(), 8000);
        for thread in 0..8 {
            let own: Vec<_> =
                written.lines().filter(|line| line.starts_with(&format!("{thread} "))).collect();
            for (at, line) in own.iter().enumerate() {
                assert_eq!(*line, format!("{thread} {at} {padding}"));
            }
        }
    }

    /// A sink that blocks until it is released.
    struct Stuck(Arc<(Mutex<bool>, Condvar)>, Slow);

    impl Write for Stuck {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let (free, freed) = &*self.0;
            drop(freed.wait_while(free.lock().unwrap(), |free| !*free).unwrap());
            self.1.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_log_that_is_not_read_blocks_no_thread_for_long_and_reports_lost_lines() {
        let (gate, sink) = (Arc::new((Mutex::new(false), Condvar::new())), Slow::default());
        let outbox = Outbox::start(Stuck(Arc::clone(&gate), sink.clone())).unwrap();
        let line = [b"x".repeat(999), b"\n".to_vec()].concat();
        let start = Instant::now();
        for _ in 0..5_000 {
            outbox.make_writer().write_all(&line).unwrap();
        }
        // Lines are waited for once, not one by one; the bound leaves room for a busy machine.
        assert!(start.elapsed() < 10 * PATIENCE);
        *gate.0.lock().unwrap() = true;
        gate.1.notify_all();
        outbox.flush();
        let written = String::from_utf8(sink.0.lock().unwrap().clone()).unwrap();
        let report = written.lines().find_map(|line| line.split_once(" lines of the log"));
        let dropped: usize = report.unwrap().0.parse().unwrap();
        let kept = written.lines().filter(|line| line.starts_with('x')).count();
        assert_eq!(kept + dropped, 5_000);
        let lost = outbox.metrics().into_iter().find(|metric| metric.name.contains("lost"));
        assert_eq!(lost.map(|metric| metric.value), u32::try_from(dropped).ok().map(f64::from));
    }

    #[test]
    fn a_flush_does_not_wait_for_the_pause_nor_for_lines() {
        let outbox = Outbox::start(Slow::default()).unwrap();
        let start = Instant::now();
        for _ in 0..20 {
            outbox.flush();
        }
        assert!(start.elapsed() < PATIENCE);
    }
}
