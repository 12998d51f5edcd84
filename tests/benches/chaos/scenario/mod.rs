//! What happens to the service.

pub(crate) mod fail_over;
pub(crate) mod kill;
pub(crate) mod nodes;
pub(crate) mod restart;
pub(crate) mod rolling;
pub(crate) mod silence;

use patrol_test_servers::postgres::{Durability, Server};

use crate::{
    client::Client, guard::Guard, load::Load, report::Finding, site::Site, verify::verify,
};

/// The database of the scenarios.
const DATABASE: &str = "patrol";

/// A PostgreSQL server that keeps what is committed, with an empty database.
fn database() -> Server {
    let server = Server::start(Durability::Kept);
    patrol_test_servers::postgres::execute(
        &server.url("postgres"),
        &format!("CREATE DATABASE {DATABASE}"),
    );
    server
}

/// A store with the data on a server.
fn site<'a>(guard: &'a Guard, name: &str, server: &Server) -> Site<'a> {
    Site::new(guard, name, server.url(DATABASE))
}

/// Ends the load, compares what the clients were told with what is there, and counts it all.
/// `client` had better be one of a node that has just begun, and remembers nothing.
fn settle(finding: &mut Finding, load: Load, client: &Client) {
    let (service, mut journals) = load.finish();
    for what in verify(client, &mut journals) {
        finding.wrong(what);
    }
    finding.clients(&service, journals);
}
