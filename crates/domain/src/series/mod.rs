//! Series: executions that are edited together ("this and following").

mod port;
mod split;

#[cfg(feature = "mock")]
pub use port::MockSeries;
pub use port::{Series, Split, SplitChange};
pub use split::SeriesDraft;
