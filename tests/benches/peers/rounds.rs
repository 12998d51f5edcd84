//! The rounds.

use patrol_tests::bench::{
    load::{self, Answered},
    plan::Plan,
    store::Store,
};

use crate::subject::{Subject, What};

/// The results of a subject.
pub(crate) struct Measured {
    pub(crate) subject: Subject,
    pub(crate) records: Answered,
    pub(crate) page: Answered,
    /// After all rounds, in MB.
    pub(crate) memory: f64,
}

/// Runs rounds of all subjects in turn, after a warm-up round of each. A subject that fails is left
/// out of the later rounds.
pub(crate) fn measure(
    subjects: Vec<Subject>,
    store: &Store,
    plan: &Plan,
    failures: &mut Vec<(&'static str, String)>,
) -> Vec<Measured> {
    let mut running: Vec<_> =
        subjects.into_iter().map(|subject| (subject, Vec::new(), Vec::new())).collect();
    for what in [What::Records, What::Page] {
        for round in 0..=plan.rounds {
            running.retain_mut(|(subject, records, pages)| {
                match subject.round(what, store, plan) {
                    Ok(answered) if round > 0 => match what {
                        What::Records => records.push(answered),
                        What::Page => pages.push(answered),
                    },
                    Ok(_) => {}
                    Err(reason) => {
                        failures.push((subject.name, format!("it fails under load: {reason}")));
                        return false;
                    }
                }
                true
            });
        }
    }
    let measured = running.into_iter().map(|(subject, records, pages)| {
        let memory = subject.memory();
        Measured { subject, records: middle(&records), page: middle(&pages), memory }
    });
    measured.collect()
}

/// The median of each figure.
fn middle(rounds: &[Answered]) -> Answered {
    let of = |figure: fn(&Answered) -> f64| load::median(rounds.iter().map(figure));
    Answered { rate: of(|it| it.rate), p50: of(|it| it.p50), p99: of(|it| it.p99) }
}
