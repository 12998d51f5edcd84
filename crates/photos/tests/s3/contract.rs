//! Runs the contract suite over S3.

use patrol_contract::photos;
use patrol_domain::{media::MediaFiles, photo::Photos};
use patrol_photos::PhotoStore;
use patrol_test_servers::s3::Server;

use crate::{below, open};

/// A photo store, and the server that has to live as long as it does.
struct Kept {
    store: PhotoStore,
    _server: Server,
}

impl photos::Place for Kept {
    fn photos(&self) -> &dyn Photos {
        &self.store
    }

    fn files(&self) -> &dyn MediaFiles {
        &self.store
    }
}

fn s3(prefix: &str) -> Kept {
    let server = Server::start();
    let store = open(&below(prefix, server.bucket()), server.environment()).unwrap();
    Kept { store, _server: server }
}

mod in_a_bucket {
    use super::s3;

    patrol_contract::photos_cases!(s3(""));
}

mod below_a_prefix {
    use super::s3;

    patrol_contract::photos_cases!(s3("patrol/eu"));
}
