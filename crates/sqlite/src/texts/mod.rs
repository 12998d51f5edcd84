//! Repairs the folded texts that lists compare: an older version of the program does not write them,
//! and another version of Unicode folds other letters.

pub(crate) mod names;
pub(crate) mod points;
pub(crate) mod scheduled_tasks;
pub(crate) mod users;
