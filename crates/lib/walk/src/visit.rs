//! What a guard does next on a round.

/// A state of a round or a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// Not started.
    Pending,
    /// Started.
    InProgress,
    /// Done.
    Completed,
}

/// A round, as the service answers with it.
#[derive(Clone, PartialEq, Debug)]
pub struct Round {
    /// Its state.
    pub state: State,
    /// Its steps, in their order.
    pub steps: Vec<Step>,
}

/// A step of a round.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// Its id.
    pub id: String,
    /// Its state.
    pub state: State,
    /// Whether the point has a code for its technology.
    pub has_code: bool,
    /// Those of its actions that have no result yet, in their order.
    pub open: Vec<Action>,
}

/// An action of a step, without a result.
#[derive(Clone, PartialEq, Debug)]
pub struct Action {
    /// Its id.
    pub id: String,
    /// A value that the action takes.
    pub value: Value,
}

/// The value of a result.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// Yes or no.
    Boolean(bool),
    /// A measurement.
    Number(f64),
    /// A remark.
    Text(String),
    /// A picture.
    Media,
}

/// What an entry reports.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Happening<'a> {
    /// The round begins.
    Start,
    /// The guard is at the point of the step.
    Scan(&'a Step, Oddity),
    /// The result of an action.
    Result(&'a Step, &'a Action),
    /// The guard leaves the point.
    FinishStep(&'a Step),
    /// The round ends.
    Complete,
}

/// What is odd about a scan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Oddity {
    /// Nothing.
    None,
    /// The code was not read.
    CodeMissing,
    /// The code of another point was read.
    WrongCode,
    /// The device was far from the point.
    FarAway,
}

/// Every so many scans one is odd.
const ODD: u32 = 5;

impl Oddity {
    /// The oddity of the scan with this number, from 0. The first is odd, so that it shows at once. A point
    /// without a code has no odd code.
    #[must_use]
    pub const fn of(scan: u32, has_code: bool) -> Self {
        match (scan % ODD, scan / ODD % 3) {
            (1.., _) => Self::None,
            (0, 0) if has_code => Self::CodeMissing,
            (0, 1) if has_code => Self::WrongCode,
            (0, _) => Self::FarAway,
        }
    }
}

/// What happens next, up to the next pause: the start, all of one step, or the end. Empty when the round is
/// over. `scan` is the number of the next scan, from 0.
#[must_use]
pub fn visit(round: &Round, scan: u32) -> Vec<Happening<'_>> {
    match round.state {
        State::Pending => vec![Happening::Start],
        State::Completed => Vec::new(),
        State::InProgress => {
            let mut left = round.steps.iter().filter(|step| step.state != State::Completed);
            left.next().map_or_else(|| vec![Happening::Complete], |step| at(step, scan))
        }
    }
}

fn at(step: &Step, scan: u32) -> Vec<Happening<'_>> {
    let mut all = vec![Happening::Scan(step, Oddity::of(scan, step.has_code))];
    all.extend(step.open.iter().map(|action| Happening::Result(step, action)));
    all.push(Happening::FinishStep(step));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(id: &str, state: State, open: usize) -> Step {
        let value = || Value::Boolean(true);
        let open = (0..open).map(|at| Action { id: format!("{id}{at}"), value: value() });
        Step { id: id.to_owned(), state, has_code: true, open: open.collect() }
    }

    /// What happens, in short.
    fn said(state: State, steps: &[Step]) -> Vec<String> {
        let round = Round { state, steps: steps.to_vec() };
        let said = |happening| match happening {
            Happening::Start => "start".to_owned(),
            Happening::Scan(step, _) => format!("scan {}", step.id),
            Happening::Result(step, action) => format!("result {} {}", step.id, action.id),
            Happening::FinishStep(step) => format!("finish {}", step.id),
            Happening::Complete => "complete".to_owned(),
        };
        visit(&round, 0).into_iter().map(said).collect()
    }

    #[test]
    fn a_round_is_walked_from_its_start_to_its_end() {
        let steps = |first, second| [step("a", first, 2), step("b", second, 0)];
        let (pending, started, done) = (State::Pending, State::InProgress, State::Completed);
        for (state, steps, expected) in [
            (pending, steps(pending, pending), &["start"][..]),
            (
                started,
                steps(pending, pending),
                &["scan a", "result a a0", "result a a1", "finish a"],
            ),
            (
                started,
                steps(started, pending),
                &["scan a", "result a a0", "result a a1", "finish a"],
            ),
            (started, steps(done, pending), &["scan b", "finish b"]),
            (started, steps(done, done), &["complete"]),
            (done, steps(done, pending), &[]),
        ] {
            assert_eq!(said(state, &steps), expected);
        }
    }

    #[test]
    fn the_first_scan_and_every_fifth_are_odd() {
        let odd = |has_code| (0..20).map(move |scan| Oddity::of(scan, has_code));
        let number = |oddity| odd(true).filter(|of| *of == oddity).count();
        assert_eq!(number(Oddity::None), 16);
        assert_eq!(
            [0, 5, 10, 15].map(|scan| Oddity::of(scan, true)),
            [Oddity::CodeMissing, Oddity::WrongCode, Oddity::FarAway, Oddity::CodeMissing]
        );
        assert!(odd(false).all(|of| matches!(of, Oddity::None | Oddity::FarAway)));
        assert_eq!(Oddity::of(0, false), Oddity::FarAway);
    }
}
