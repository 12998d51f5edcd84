//! Series: executions that are edited together ("this and following").

mod plan;
mod port;
mod split;

pub use plan::{PlanMove, PlannedSeries};
#[cfg(feature = "mock")]
pub use port::MockSeries;
pub use port::{Series, Split, SplitChange};
pub use split::{NewSeries, SeriesDraft};
