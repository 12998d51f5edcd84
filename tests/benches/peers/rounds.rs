//! The rounds.

use patrol_tests::bench::{
    load::{self, Answered},
    plan::Plan,
    store::Store,
};

use crate::{
    lists,
    subject::{CONNECTIONS, Listed, SECONDS, Subject, What},
};

/// Rounds of each list; they are short.
const SHORT_ROUNDS: usize = 3;

/// The rounds of the lists, for the report.
pub(crate) fn described() -> String {
    format!("{SHORT_ROUNDS} rounds of {SECONDS} s with {CONNECTIONS} connections")
}

/// The results of a subject.
pub(crate) struct Measured {
    pub(crate) subject: Subject,
    pub(crate) records: Answered,
    /// The first list.
    pub(crate) list: Answered,
    /// All lists, in their order; `None` for one that it was not measured with.
    pub(crate) lists: Vec<Option<Answered>>,
    /// After all rounds, in MB.
    pub(crate) memory: f64,
}

/// A reason why a server was not measured, with what that concerns.
pub(crate) type Failure = (String, String);

struct Running {
    subject: Subject,
    records: Vec<Answered>,
    list: Vec<Answered>,
    lists: Vec<Option<Vec<Answered>>>,
}

/// Runs rounds of all subjects in turn, after a warm-up round of each. A subject that fails is left
/// out of the later rounds, of all requests or of a list.
pub(crate) fn measure(
    subjects: Vec<Subject>,
    expected: &[Listed],
    store: &Store,
    plan: &Plan,
    failures: &mut Vec<Failure>,
) -> Vec<Measured> {
    let start = |subject| Running::new(subject, expected, failures);
    let mut running: Vec<_> = subjects.into_iter().map(start).collect();
    for what in [What::Records, What::List] {
        for round in 0..=plan.rounds {
            running.retain_mut(|Running { subject, records, list, .. }| {
                let rounds = if matches!(what, What::Records) { records } else { list };
                let answered = subject.round(what, store, plan);
                let answered = answered.map_err(|reason| {
                    failures.push((subject.name.to_owned(), format!("under load: {reason}")));
                });
                rounds.extend(answered.ok().filter(|_| round > 0));
                answered.is_ok()
            });
        }
    }
    for (at, list) in lists::ALL.iter().enumerate() {
        eprintln!("{}", list.what);
        for round in 0..=plan.rounds.min(SHORT_ROUNDS) {
            for Running { subject, lists, .. } in &mut running {
                let Some(rounds) = &mut lists[at] else { continue };
                match subject.round(What::Shortly(list), store, plan) {
                    Ok(answered) => rounds.extend((round > 0).then_some(answered)),
                    Err(reason) => {
                        failures.push((format!("{}: {}", subject.name, list.what), reason));
                        lists[at] = None;
                    }
                }
            }
        }
    }
    running.into_iter().map(Running::end).collect()
}

impl Running {
    /// Compares the lists with those of Patrol; one that differs is not measured.
    fn new(subject: Subject, expected: &[Listed], failures: &mut Vec<Failure>) -> Self {
        let pairs = lists::ALL.iter().zip(expected);
        let lists = pairs.map(|(list, expected)| {
            let agreed = subject.agrees(list, expected)?.map_err(|reason| {
                failures.push((format!("{}: {}", subject.name, list.what), reason));
            });
            agreed.is_ok().then(Vec::new)
        });
        let lists = lists.collect();
        Self { subject, records: Vec::new(), list: Vec::new(), lists }
    }

    fn end(self) -> Measured {
        let Self { subject, records, list, lists } = self;
        let lists = lists.iter().map(|rounds| rounds.as_deref().map(load::middle)).collect();
        let memory = subject.memory();
        let (records, list) = (load::middle(&records), load::middle(&list));
        Measured { subject, records, list, lists, memory }
    }
}
