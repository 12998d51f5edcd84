//! The guard's page `/guard`: a web app with which rounds are walked. `docs/guard.md` describes it.

mod app;
pub(crate) mod bundle;
pub(crate) mod codes;
pub(crate) mod session;

pub(crate) use app::{file, manifest, picture, shell, worker};
