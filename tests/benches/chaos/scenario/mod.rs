//! The scenarios.

pub(crate) mod fail_over;
pub(crate) mod kill;
pub(crate) mod nodes;
pub(crate) mod restart;
pub(crate) mod rolling;
pub(crate) mod silence;

use patrol_test_servers::postgres::{Durability, Server};

use crate::{
    cleanup::Cleanup, client::Client, load::Load, report::Finding, site::Site, verify::verify,
};

/// The database of the scenarios.
const DATABASE: &str = "patrol";

/// A durable PostgreSQL server with an empty database.
fn database() -> Server {
    let server = Server::start(Durability::Kept);
    patrol_test_servers::postgres::execute(
        &server.url("postgres"),
        &format!("CREATE DATABASE {DATABASE}"),
    );
    server
}

/// A store with the data on a server.
fn site<'a>(cleanup: &'a Cleanup, name: &str, server: &Server) -> Site<'a> {
    Site::new(cleanup, name, server.url(DATABASE))
}

/// Stops the load, compares the journals with the stored records, and adds the results. `client`
/// should use a freshly started node, which has nothing cached.
fn settle(finding: &mut Finding, load: Load, client: &Client) {
    let (service, mut journals) = load.finish();
    for what in verify(client, &mut journals) {
        finding.wrong(what);
    }
    finding.clients(&service, journals);
}
