//! Runs the contract suite over folders and memory.

use std::iter;

use patrol_contract::photos;
use patrol_domain::{media::MediaFiles, photo::Photos};
use patrol_photos::{PhotoStore, Place};
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

    fn files(&self) -> &dyn MediaFiles {
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

mod in_a_folder {
    use super::folder;

    patrol_contract::photos_cases!(folder());
}

mod in_memory {
    use super::memory;

    patrol_contract::photos_cases!(memory());
}
