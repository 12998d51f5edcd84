//! Photos of users: [`Cleaner`] prepares images for storage, [`PhotoStore`] stores them in a
//! folder, in memory, or in S3.

mod folder;
mod image;
mod s3;
mod store;

pub use image::Cleaner;
pub use store::{OpenError, PhotoStore, Place};
