//! Warnings about the quick search.

use super::{database, store};

#[tokio::test]
async fn a_lack_of_the_index_is_told() {
    let database = database();
    let store = store(&database.url(), 1).await;
    let warns_of = async |what: &str| {
        let warning = store.search_warning().await.unwrap();
        warning.is_some_and(|warning| warning.contains(what))
    };
    assert!(!warns_of("").await);
    // The state that an interrupted CREATE INDEX CONCURRENTLY leaves.
    let broken_off = "UPDATE pg_index SET indisvalid = false \
        WHERE indexrelid = 'task_executions_by_text'::regclass";
    patrol_test_servers::postgres::execute(&database.url(), broken_off);
    assert!(warns_of("not complete").await);
    patrol_test_servers::postgres::execute(&database.url(), "DROP INDEX task_executions_by_text");
    assert!(warns_of("pg_trgm").await);
}
