//! What headers say: whom a request speaks for, what its body is, which version it means.

pub(crate) mod condition;
pub(crate) mod credential;
pub(crate) mod media;

pub(crate) use condition::{Conditions, etag, photo_etag};
