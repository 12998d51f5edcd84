//! The responses that a client got, and the state that it has to find afterwards.

use std::collections::BTreeMap;

use crate::walk::Walk;

/// A value that only one client changes, again and again.
pub(crate) struct Register {
    /// The path where it is read, below `/v1`.
    pub(crate) path: String,
    /// The last value that was acknowledged or read.
    settled: String,
    /// Values sent after that without an acknowledgement: each may have been stored.
    open: Vec<String>,
}

/// The result of comparing a register with the stored value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sight {
    /// The acknowledged value.
    Settled,
    /// A later value that was sent but not acknowledged.
    TookEffect,
    /// Neither: the acknowledged value is lost.
    Lost,
}

impl Register {
    /// A register with a known value.
    pub(crate) fn new(path: String, value: &str) -> Self {
        Self { path, settled: value.to_owned(), open: Vec::new() }
    }

    /// Records that a change was sent.
    pub(crate) fn sent(&mut self, value: String, is_acknowledged: bool) {
        if is_acknowledged {
            self.settled = value;
            self.open.clear();
        } else {
            self.open.push(value);
        }
    }

    /// Compares with the stored value, which is then the known value.
    pub(crate) fn look(&mut self, seen: &str) -> Sight {
        if seen == self.settled {
            return Sight::Settled;
        }
        match self.open.iter().position(|value| value == seen) {
            Some(at) => {
                self.settled = self.open.remove(at);
                Sight::TookEffect
            }
            None => Sight::Lost,
        }
    }

    /// The expected values, in words.
    pub(crate) fn expected(&self) -> String {
        format!("{} (or one of {} that were not acknowledged)", self.settled, self.open.len())
    }
}

/// Whether a record that a client created has to exist.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Existence {
    /// The creation was acknowledged.
    Present,
    /// The deletion was acknowledged.
    Absent,
    /// The deletion was sent but not acknowledged.
    Either,
}

/// A change of a point that its history has to contain.
pub(crate) struct Recorded {
    /// The operation and the name of the point; unique among all changes.
    pub(crate) change: (String, String),
    /// Whether the history must contain it, or only may.
    pub(crate) is_acknowledged: bool,
}

/// Everything that one client has done.
#[derive(Default)]
pub(crate) struct Journal {
    executions: Vec<Register>,
    users: Vec<Register>,
    points: Vec<Register>,
    /// Copies of executions, by id.
    pub(crate) copies: BTreeMap<String, Existence>,
    /// Created points, by id.
    pub(crate) created_points: BTreeMap<String, Existence>,
    /// All changes of points.
    pub(crate) history: Vec<Recorded>,
    /// The rounds that were reported on.
    pub(crate) walks: Vec<Walk>,
    /// Copies requested without an acknowledgement, whose ids are unknown.
    pub(crate) unknown_copies: u64,
    /// The number of acknowledged writes.
    pub(crate) acknowledged: u64,
    /// The number of unacknowledged writes.
    pub(crate) unacknowledged: u64,
    /// The number of unacknowledged writes that took effect.
    pub(crate) took_effect: u64,
    /// Acknowledged changes that are lost at the end, in words.
    pub(crate) lost: Vec<String>,
    /// Acknowledged changes that were not visible in the next read, in words.
    pub(crate) unseen: Vec<String>,
}

impl Journal {
    /// Counts a write.
    pub(crate) fn count(&mut self, is_acknowledged: bool) {
        if is_acknowledged {
            self.acknowledged += 1;
        } else {
            self.unacknowledged += 1;
        }
    }

    /// Compares a value with the one read at the end.
    pub(crate) fn compare(&mut self, of: Field, at: usize, seen: &str) {
        let told = self.look(of, at, seen);
        self.lost.extend(told);
    }

    /// Compares a value with one read during the run.
    pub(crate) fn glance(&mut self, of: Field, at: usize, seen: &str) {
        let told = self.look(of, at, seen);
        self.unseen.extend(told);
    }

    /// Returns a message if the value is wrong.
    fn look(&mut self, of: Field, at: usize, seen: &str) -> Option<String> {
        let register = self.registers(of).get_mut(at)?;
        match register.look(seen) {
            Sight::Settled => {}
            // The two users of a batch count once.
            Sight::TookEffect => self.took_effect += u64::from(at == 0 || of != Field::User),
            Sight::Lost => {
                return Some(format!("{}: {seen}, not {}", register.path, register.expected()));
            }
        }
        None
    }

    /// The values of one kind.
    pub(crate) fn registers(&mut self, of: Field) -> &mut Vec<Register> {
        match of {
            Field::Execution => &mut self.executions,
            Field::User => &mut self.users,
            Field::Point => &mut self.points,
        }
    }
}

/// The kinds of values that are changed again and again, each in one member of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Field {
    /// The name of an execution.
    Execution,
    /// The phone number of a user. A batch sets the same number for two users.
    User,
    /// The name of a point.
    Point,
}

impl Field {
    /// How the value is read: method, body, and the member with the value.
    pub(crate) const fn reading(self) -> (&'static str, Option<&'static str>, &'static str) {
        match self {
            Self::Execution => ("GET", None, "name"),
            // A PATCH with an empty body returns the user.
            Self::User => ("PATCH", Some("{}"), "phone"),
            Self::Point => ("GET", None, "name"),
        }
    }
}
