//! Values of request headers: credential, type of the body, expected version.

pub(crate) mod condition;
pub(crate) mod credential;
pub(crate) mod media;

pub(crate) use condition::{Conditions, etag, photo_etag};
