//! The address of the site.

use std::fmt;

/// Where people reach the program: an origin as browsers send it, for example
/// `https://patrol.example.org`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PublicUrl(String);

impl PublicUrl {
    /// The address with this origin.
    #[must_use]
    pub const fn new(origin: String) -> Self {
        Self(origin)
    }

    /// Whether the site is reached over HTTPS, directly or through a proxy.
    #[must_use]
    pub fn is_https(&self) -> bool {
        self.0.starts_with("https://")
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}
