//! What a client was told, and what it has to find afterwards.

use std::collections::BTreeMap;

/// A value that one client alone changes, over and over.
pub(crate) struct Register {
    /// Where it is read, below `/v1`.
    pub(crate) path: String,
    /// What was acknowledged last, or seen.
    settled: String,
    /// What was sent after that, without an acknowledgement: each may hold or not.
    open: Vec<String>,
}

/// What a look at a register has shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sight {
    /// What was acknowledged.
    Settled,
    /// Something that was sent later and not acknowledged.
    TookEffect,
    /// Neither: what was acknowledged is gone.
    Lost,
}

impl Register {
    /// A value that is known.
    pub(crate) fn new(path: String, value: &str) -> Self {
        Self { path, settled: value.to_owned(), open: Vec::new() }
    }

    /// A change that was sent.
    pub(crate) fn sent(&mut self, value: String, is_acknowledged: bool) {
        if is_acknowledged {
            self.settled = value;
            self.open.clear();
        } else {
            self.open.push(value);
        }
    }

    /// Compares with what is there. What is seen is what has to be there from now on.
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

    /// What has to be there, in words.
    pub(crate) fn expected(&self) -> String {
        format!("{} (or one of {} that were not acknowledged)", self.settled, self.open.len())
    }
}

/// What has to be of a record that a client has made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Existence {
    /// It was made and that was acknowledged.
    Present,
    /// It was deleted and that was acknowledged.
    Absent,
    /// It was to be deleted, and nobody said whether it was.
    Either,
}

/// A change of a point as its history has to show it.
pub(crate) struct Recorded {
    /// The operation and the name that the point had; no two changes have the same.
    pub(crate) change: (String, String),
    /// Whether it has to be there, or only may be.
    pub(crate) is_acknowledged: bool,
}

/// All that one client has done.
#[derive(Default)]
pub(crate) struct Journal {
    executions: Vec<Register>,
    users: Vec<Register>,
    points: Vec<Register>,
    /// Copies of executions, by id.
    pub(crate) copies: BTreeMap<String, Existence>,
    /// Points that were made, by id.
    pub(crate) created_points: BTreeMap<String, Existence>,
    /// All changes of points.
    pub(crate) history: Vec<Recorded>,
    /// Copies that were asked for without an acknowledgement: nobody knows their ids.
    pub(crate) unknown_copies: u64,
    /// Writes that were acknowledged.
    pub(crate) acknowledged: u64,
    /// Writes that were not.
    pub(crate) unacknowledged: u64,
    /// Those of them that took effect.
    pub(crate) took_effect: u64,
    /// What was acknowledged and is gone at the end, in words.
    pub(crate) lost: Vec<String>,
    /// What was acknowledged and did not show when it was looked for at once, in words.
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

    /// Compares a value with what was read at the end.
    pub(crate) fn compare(&mut self, of: Field, at: usize, seen: &str) {
        let told = self.look(of, at, seen);
        self.lost.extend(told);
    }

    /// Compares a value with what was read on the way.
    pub(crate) fn glance(&mut self, of: Field, at: usize, seen: &str) {
        let told = self.look(of, at, seen);
        self.unseen.extend(told);
    }

    /// Gives what is wrong.
    fn look(&mut self, of: Field, at: usize, seen: &str) -> Option<String> {
        let register = self.registers(of).get_mut(at)?;
        match register.look(seen) {
            Sight::Settled => {}
            // Of a batch, the first user tells.
            Sight::TookEffect => self.took_effect += u64::from(at == 0 || of != Field::User),
            Sight::Lost => {
                return Some(format!("{}: {seen}, not {}", register.path, register.expected()));
            }
        }
        None
    }

    /// The values of a kind.
    pub(crate) fn registers(&mut self, of: Field) -> &mut Vec<Register> {
        match of {
            Field::Execution => &mut self.executions,
            Field::User => &mut self.users,
            Field::Point => &mut self.points,
        }
    }
}

/// The kinds of values that are changed over and over, each in one member of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Field {
    /// The name of an execution.
    Execution,
    /// The phone number of a user. A batch changes two users, which have to agree.
    User,
    /// The name of a point.
    Point,
}

impl Field {
    /// How the value is read: method, body, and the member that holds it.
    pub(crate) const fn reading(self) -> (&'static str, Option<&'static str>, &'static str) {
        match self {
            Self::Execution => ("GET", None, "name"),
            // A user is read by a change of nothing.
            Self::User => ("PATCH", Some("{}"), "phone"),
            Self::Point => ("GET", None, "name"),
        }
    }
}
