//! Identifies the build. `build.rs` of this crate finds the commit.

use patrol_http::Build;

/// The version of the package and its commit.
pub(crate) const BUILD: Build =
    Build { version: env!("CARGO_PKG_VERSION"), commit: env!("PATROL_BUILD_COMMIT") };

/// The build as `patrol --version` shows it, for example `0.1.0 (5149410a1b2c)`.
pub(crate) const TEXT: &str =
    concat!(env!("CARGO_PKG_VERSION"), " (", env!("PATROL_BUILD_COMMIT"), ")");
