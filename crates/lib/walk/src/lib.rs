//! How an app walks a round: what it reports next, when, and what it keeps until it is answered. Pure
//! rules: no network, no clock and no randomness.

mod failure;
mod outbox;
mod pace;
mod visit;

pub use failure::Failure;
pub use outbox::{Outbox, retry_after};
pub use pace::pause;
pub use visit::{Action, Happening, Oddity, Round, State, Step, Value, visit};
