//! How an app walks a round: what it reports next, when, and what it keeps until it is answered. Pure
//! rules: no network, no clock and no randomness.

mod outbox;
mod pace;
mod trouble;
mod visit;

pub use outbox::{Outbox, retry_after};
pub use pace::pause;
pub use trouble::Trouble;
pub use visit::{Action, Happening, Oddity, Round, State, Step, Value, visit};
