//! Runs single SQL statements; can be called inside an async runtime as well.

use std::thread;

use tokio::runtime::Builder;
use tokio_postgres::{NoTls, SimpleQueryMessage};

/// Runs statements.
///
/// # Panics
/// When one fails.
pub fn execute(url: &str, sql: &str) {
    let done = attempt(url, sql);
    drop(done.unwrap_or_else(|error| panic!("{sql}: {error}")));
}

/// The first column of the result as text; an empty text for null.
///
/// # Panics
/// When the statement fails.
#[must_use]
pub fn query(url: &str, sql: &str) -> Vec<String> {
    attempt(url, sql).unwrap_or_else(|error| panic!("{sql}: {error}"))
}

/// Like [`query`], for a server that may be missing.
pub(crate) fn attempt(url: &str, sql: &str) -> Result<Vec<String>, String> {
    let (url, sql) = (url.to_owned(), sql.to_owned());
    let running = thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build();
        runtime.map_err(|error| error.to_string())?.block_on(run(&url, &sql))
    });
    running.join().expect("statements run")
}

async fn run(url: &str, sql: &str) -> Result<Vec<String>, String> {
    let told = |error: tokio_postgres::Error| match error.as_db_error() {
        Some(reported) => reported.to_string(),
        None => error.to_string(),
    };
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.map_err(told)?;
    let driving = tokio::spawn(connection);
    let answers = client.simple_query(sql).await.map_err(told)?;
    drop(client);
    // Waits for the connection to close, so that the session has ended when this returns.
    drop(driving.await);
    let rows = answers.into_iter().filter_map(|answer| match answer {
        SimpleQueryMessage::Row(row) => Some(row.get(0).unwrap_or_default().to_owned()),
        _ => None,
    });
    Ok(rows.collect())
}
