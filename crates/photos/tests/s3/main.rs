//! Photos in a bucket of S3.

#![allow(clippy::unwrap_used, clippy::panic)]

mod bucket;
mod contract;

use patrol_photos::{OpenError, PhotoStore, Place};
use rustls::crypto::ring;

fn below(prefix: &str, bucket: &str) -> Place {
    Place::S3 { bucket: bucket.to_owned(), prefix: prefix.to_owned() }
}

/// Opens the photos with ring as the cryptography of this process.
fn open(
    place: &Place,
    environment: impl IntoIterator<Item = (String, String)>,
) -> Result<PhotoStore, OpenError> {
    // It is refused when it is already installed.
    drop(ring::default_provider().install_default());
    PhotoStore::open(place, environment)
}
