//! The list without a limit.

use std::{
    io::Read,
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

use patrol_tests::{
    Api,
    bench::{
        load::{self, median},
        report::{Goals, Row, grouped, rate},
    },
};

use crate::subject::Subject;

/// The number of readers: four users, each with the most lists that one user may read.
const READERS: usize = USERS * 4;
const USERS: usize = 4;

const PATH: &str = "/v1/task-executions/info";

pub(crate) fn measure(subject: &Subject<'_>, goals: &mut Goals) {
    alone(subject, goals);
    at_once(subject, goals);
}

fn alone(subject: &Subject<'_>, goals: &mut Goals) {
    let server = subject.serve();
    let api = subject.api(&server);
    let (mut firsts, mut totals, mut size) = (Vec::new(), Vec::new(), 0);
    for _ in 0..subject.plan.rounds {
        let start = Instant::now();
        let mut answer = api.open("GET", PATH, None);
        assert_eq!(answer.status().as_u16(), 200);
        let mut byte = [0];
        answer.read_exact(&mut byte).expect("a first byte");
        firsts.push(start.elapsed().as_secs_f64() * 1e3);
        size = 1 + std::io::copy(&mut answer, &mut std::io::sink()).expect("the list is whole");
        totals.push(start.elapsed().as_secs_f64());
    }
    let (first, total, peak) = (median(firsts), median(totals), server.memory("VmHWM"));
    let rows = f64::from(subject.store.executions()) / total;
    goals.add(
        Row::new("whole list, first byte", format!("{first:.1} ms")).at_most(first, 50.0, "ms"),
    );
    goals.add(Row::new(
        format!("whole list, all {} MB", size / 1_000_000),
        format!("{total:.2} s ({} rows/s)", grouped(rows)),
    ));
    let goal = subject.kind.pick(128.0, 64.0);
    goals.add(
        Row::new("whole list, peak memory", format!("{peak:.0} MB")).at_most(peak, goal, "MB"),
    );
}

fn at_once(subject: &Subject<'_>, goals: &mut Goals) {
    let server = subject.serve();
    let user = |n| {
        let token = subject.store.token_of(&format!("E{n}"));
        Api::new(server.address()).with_token(&token)
    };
    let users: Vec<_> = (0..USERS).map(user).collect();
    let (is_over, whole, refused) = (AtomicBool::new(false), AtomicU32::new(0), AtomicU32::new(0));
    let answered = thread::scope(|scope| {
        for api in users.iter().cycle().take(READERS) {
            let (is_over, whole, refused) = (&is_over, &whole, &refused);
            scope.spawn(move || {
                while read(api, is_over, refused) {
                    whole.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let _over = Over(&is_over);
        load::settle();
        (0..subject.plan.rounds).map(|_| subject.reads(&server)).collect::<Vec<_>>()
    });
    let (peak, whole, refused) = (server.memory("VmHWM"), whole.into_inner(), refused.into_inner());
    let (reads, p99) =
        (median(answered.iter().map(|it| it.rate)), median(answered.iter().map(|it| it.p99)));
    goals.add(
        Row::new(format!("{READERS} whole lists at once, peak memory"), format!("{peak:.0} MB"))
            .at_most(peak, 256.0, "MB"),
    );
    goals.add(
        Row::new("read by id meanwhile, p99", format!("{p99:.1} ms"))
            .beside(format!(
                "{}, {whole} lists read to their end, {refused} refused (503)",
                rate(reads)
            ))
            .at_most(p99, 50.0, "ms"),
    );
}

/// Stops the readers, also when the load has failed.
pub(super) struct Over<'a>(pub(super) &'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Reads the list; false when it was stopped before the end. A list that waits too long for others is
/// refused, and requested again.
fn read(api: &Api, is_over: &AtomicBool, refused: &AtomicU32) -> bool {
    let mut answer = loop {
        let answer = api.open("GET", PATH, None);
        match answer.status().as_u16() {
            503 => refused.fetch_add(1, Ordering::Relaxed),
            status => {
                assert_eq!(status, 200);
                break answer;
            }
        };
        thread::sleep(Duration::from_secs(1));
        if is_over.load(Ordering::Relaxed) {
            return false;
        }
    };
    let mut buffer = vec![0; 1 << 16];
    while !is_over.load(Ordering::Relaxed) {
        if answer.read(&mut buffer).expect("the list does not break off") == 0 {
            return true;
        }
    }
    false
}
