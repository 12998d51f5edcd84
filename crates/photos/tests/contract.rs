//! Runs the contract suite over every kind of photo store.

#![allow(clippy::unwrap_used)]

use std::iter;

use patrol_contract::photos;
use patrol_domain::photo::Photos;
use patrol_photos::{PhotoStore, Place};
use patrol_test_servers::s3::Server;
use tempfile::TempDir;

/// A photo store, and what has to live as long as it does.
struct Kept<T> {
    store: PhotoStore,
    _place: T,
}

impl<T: Sync> photos::Place for Kept<T> {
    fn photos(&self) -> &dyn Photos {
        &self.store
    }
}

fn folder() -> Kept<TempDir> {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::Folder(folder.path().join("photos"));
    Kept { store: PhotoStore::open(&place, iter::empty()).unwrap(), _place: folder }
}

fn memory() -> Kept<()> {
    Kept { store: PhotoStore::open(&Place::Memory, iter::empty()).unwrap(), _place: () }
}

fn s3(prefix: &str) -> Kept<Server> {
    let server = Server::start();
    let place = Place::S3 { bucket: server.bucket().to_owned(), prefix: prefix.to_owned() };
    Kept { store: PhotoStore::open(&place, server.environment()).unwrap(), _place: server }
}

mod in_a_folder {
    use super::folder;

    patrol_contract::photos_cases!(folder());
}

mod in_memory {
    use super::memory;

    patrol_contract::photos_cases!(memory());
}

mod on_s3 {
    use super::s3;

    patrol_contract::photos_cases!(s3(""));
}

mod on_s3_below_a_prefix {
    use super::s3;

    patrol_contract::photos_cases!(s3("patrol/eu"));
}
