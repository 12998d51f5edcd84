//! Photos of users: [`Cleaner`] prepares images for storage, [`PhotoStore`] stores them, and the files
//! of media, in a folder, in memory, or in S3.

mod folder;
mod image;
mod media;
mod place;
mod s3;
mod store;

pub use image::Cleaner;
pub use place::{OpenError, Place};
pub use store::PhotoStore;
