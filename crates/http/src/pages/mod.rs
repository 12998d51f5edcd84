//! Pages for operators: health and metrics.

mod health;
mod metrics;

use crate::route::Pages;

/// Registers the pages.
pub(crate) fn configure(app: &mut Pages<'_>) {
    app.page("/health/live", health::live);
    app.page("/health/ready", health::ready);
    app.page("/metrics", metrics::metrics);
}
