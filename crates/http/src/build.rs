//! The build of the program.

/// Identifies a build of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Build {
    /// For example `1.2.0`.
    pub version: &'static str,
    /// The commit that it was built from, for example `5149410a1b2c`, or `unknown`.
    pub commit: &'static str,
}
