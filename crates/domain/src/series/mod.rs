//! Series: executions that are edited together, "this and following" (interface 4.1,
//! decisions 5).

mod port;
mod split;

#[cfg(feature = "mock")]
pub use port::MockSeries;
pub use port::{Series, Split};
pub use split::SeriesDraft;
