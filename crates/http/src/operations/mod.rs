//! Resources for operators: health and metrics.

mod health;
mod metrics;

use crate::route::PublicResources;

/// Registers the resources.
pub(crate) fn configure(app: &mut PublicResources<'_>) {
    app.resource("/health/live", health::live);
    app.resource("/health/ready", health::ready);
    app.resource("/metrics", metrics::metrics);
}
