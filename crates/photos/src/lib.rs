//! Photos of users: pictures made clean before they are kept ([`Cleaner`]), and where they are kept
//! ([`PhotoStore`]): a folder, memory, or S3.

mod folder;
mod image;
mod store;

pub use image::Cleaner;
pub use store::{OpenError, PhotoStore, Place};
