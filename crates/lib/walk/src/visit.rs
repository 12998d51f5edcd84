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
    /// Whether it is known where the point is.
    pub has_place: bool,
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
    /// without a code has no odd code, and nobody is far from one without a place.
    #[must_use]
    pub const fn of(scan: u32, step: &Step) -> Self {
        if !scan.is_multiple_of(ODD) {
            return Self::None;
        }
        match (step.has_code, step.has_place, scan / ODD % 3) {
            (true, _, 0) | (true, false, 2..) => Self::CodeMissing,
            (true, _, 1) => Self::WrongCode,
            (_, true, _) => Self::FarAway,
            (false, false, _) => Self::None,
        }
    }
}

impl Step {
    /// Whether a scan can be odd here. One that cannot has no number, so that the first odd one is not lost.
    #[must_use]
    pub const fn can_be_odd(&self) -> bool {
        self.has_code || self.has_place
    }
}

/// What happens next, up to the next pause: the start and all of the first step, all of another step, or the
/// end. Empty when the round is over. `scan` is the number of the next scan, from 0.
#[must_use]
pub fn visit(round: &Round, scan: u32) -> Vec<Happening<'_>> {
    let mut all = match round.state {
        State::Pending => vec![Happening::Start],
        State::InProgress => Vec::new(),
        State::Completed => return Vec::new(),
    };
    match round.steps.iter().find(|step| step.state != State::Completed) {
        Some(step) => {
            all.push(Happening::Scan(step, Oddity::of(scan, step)));
            all.extend(step.open.iter().map(|action| Happening::Result(step, action)));
            all.push(Happening::FinishStep(step));
        }
        None if all.is_empty() => all.push(Happening::Complete),
        None => {}
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(id: &str, state: State, open: usize) -> Step {
        let value = || Value::Boolean(true);
        let open = (0..open).map(|at| Action { id: format!("{id}{at}"), value: value() });
        let id = id.to_owned();
        Step { id, state, has_code: true, has_place: true, open: open.collect() }
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
            (
                pending,
                steps(pending, pending),
                &["start", "scan a", "result a a0", "result a a1", "finish a"][..],
            ),
            (pending, steps(done, done), &["start"]),
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
        use Oddity::{CodeMissing, FarAway, None, WrongCode};
        for (has_code, has_place, odd) in [
            (true, true, [CodeMissing, WrongCode, FarAway, CodeMissing]),
            (true, false, [CodeMissing, WrongCode, CodeMissing, CodeMissing]),
            (false, true, [FarAway; 4]),
            (false, false, [None; 4]),
        ] {
            let step = Step { has_code, has_place, ..step("a", State::Pending, 0) };
            assert_eq!([0, 5, 10, 15].map(|scan| Oddity::of(scan, &step)), odd);
            assert_eq!([1, 4, 6, 19].map(|scan| Oddity::of(scan, &step)), [None; 4]);
            assert_eq!(step.can_be_odd(), odd != [None; 4]);
        }
    }
}
