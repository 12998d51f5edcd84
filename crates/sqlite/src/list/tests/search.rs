//! The trigram search gives the same results as comparing every text.

use std::collections::BTreeSet;

use diesel::{connection::SimpleConnection, prelude::*, sql_types::BigInt};
use futures_util::StreamExt;
use patrol_domain::{
    List, Resource, StoreError,
    list::{Condition, Page, Part, Query, Test},
    task_execution::{ExecutionFilter, ExecutionList},
};
use tempfile::TempDir;

use super::time;
use crate::{
    ProgramKind, Store,
    engine::Abort,
    revision,
    tests::{INSERT_EXECUTIONS, PLACE, settings},
};

/// Name, description and tags, folded.
type Texts = (&'static str, Option<&'static str>, &'static [&'static str]);

const TEXTS: [Texts; 6] = [
    ("ночной обход 1", Some("along the fence"), &["night", "hall 1"]),
    ("ночной обход 2", None, &[]),
    ("night", Some(""), &["обход", "\\", "a\"b\"c", "x\\\\"]),
    (
        "\\u0000 ' \" * () AND NOT",
        Some("line\nbreak\ttab\u{1}"),
        &["\\u0000", "\\\\u0000x", "tail"],
    ),
    ("😀😀😀 ß ﬀ é e\u{301}", Some("\u{fffd}\u{ffff}\u{fffe}!"), &["%_%", "éé", "😀é😀"]),
    ("ab", Some("c"), &["d", "e", "f"]),
];

const COUNT_UNSEARCHED: &str = "SELECT count(*) AS rows FROM task_execution_unsearched";

/// Fills the list of pending rows, so that the next change exceeds it.
const FILL_UP: &str = "INSERT INTO task_execution_unsearched (position, row) VALUES (9999, 1);";

#[derive(QueryableByName)]
struct Rows {
    #[diesel(sql_type = BigInt)]
    rows: i64,
}

struct Trial {
    store: Store,
    _folder: TempDir,
}

impl Trial {
    async fn new(texts: &[Texts]) -> Self {
        let folder = TempDir::new().unwrap();
        let settings = settings(&folder, ProgramKind::Server);
        let trial = Self { store: Store::open(&settings).unwrap(), _folder: folder };
        trial.write(PLACE.to_owned()).await;
        for (row, texts) in (1..).zip(texts) {
            trial.write(insert(row, *texts)).await;
        }
        trial
    }

    async fn write(&self, sql: String) {
        let write = self.store.write(move |conn| {
            conn.batch_execute(&sql)?;
            Ok::<_, Abort<StoreError>>(revision::raise(conn, Resource::TaskExecution)?)
        });
        write.await.unwrap();
    }

    async fn unsearched(&self) -> i64 {
        let rows = self.store.read(|conn| {
            Ok::<_, Abort<StoreError>>(
                diesel::sql_query(COUNT_UNSEARCHED).get_result::<Rows>(conn)?.rows,
            )
        });
        rows.await.unwrap()
    }

    /// The numbers of the executions, and the total.
    async fn list(
        &self,
        condition: Condition<ExecutionFilter>,
        q: Option<&str>,
    ) -> (Vec<u128>, u64) {
        let query = Query::<ExecutionList> {
            search: q.map(str::to_owned),
            page: Page { limit: 100, offset: 0 },
            ..Query::of(condition, time(0))
        };
        let (mut numbers, mut total) = (Vec::new(), None);
        let mut list = self.store.list(query);
        while let Some(part) = list.next().await {
            match part.unwrap() {
                Part::Rows(rows) => numbers.extend(rows.iter().map(|row| row.id.0.as_u128())),
                Part::Total(count) => total = Some(count),
            }
        }
        (numbers, total.unwrap())
    }

    async fn assert_finds_all(&self, texts: &[(u128, Texts)]) {
        for term in terms() {
            let is_in = |text: &str| text.contains(&term);
            let some = |meets: &dyn Fn(&Texts) -> bool| {
                let numbers = texts.iter().filter(|(_, texts)| meets(texts)).map(|(row, _)| *row);
                let numbers = Vec::from_iter(numbers);
                let total = u64::try_from(numbers.len()).unwrap();
                (numbers, total)
            };
            let by_q = some(&|(name, description, tags)| {
                is_in(name) || description.is_some_and(is_in) || tags.iter().any(|tag| is_in(tag))
            });
            let by_name = some(&|(name, ..)| is_in(name));
            let like = Condition::Is(ExecutionFilter::Name, Test::Contains(term.clone()));
            let either = Condition::Any(vec![like.clone(), like.clone()]);
            let all = || Condition::All(vec![]);
            assert_eq!(self.list(all(), Some(&term)).await, by_q, "{term:?}");
            assert_eq!(self.list(like.clone(), None).await, by_name, "{term:?}");
            assert_eq!(self.list(either, Some(&term)).await, by_name, "{term:?}");
        }
    }
}

/// All substrings of all texts, of two to six characters, and some terms that occur in no text.
fn terms() -> BTreeSet<String> {
    let mut terms =
        BTreeSet::from(["жжж", "\\u0001", "l 1\n", "a\0b", "abc", "тноч"].map(str::to_owned));
    for (name, description, tags) in TEXTS {
        for text in [name].into_iter().chain(description).chain(tags.iter().copied()) {
            let characters = Vec::from_iter(text.chars());
            for length in [2, 3, 4, 6] {
                terms
                    .extend(characters.windows(length).map(|part| part.iter().collect::<String>()));
            }
        }
    }
    terms
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''").replace('\0', "' || char(0) || '"))
}

fn insert(row: u128, (name, description, tags): Texts) -> String {
    let description = description.map_or("NULL".to_owned(), quoted);
    format!(
        "{INSERT_EXECUTIONS} VALUES ({row}, x'{row:032x}', 1, zeroblob(16), NULL, zeroblob(16), NULL, x'', x'',
            0, NULL, 1, 1, 0, 0, 0, 0, 0, 0, NULL, NULL, 0, 0, 0, 0, {name}, {name}, '[]', {tags},
            {description}, {description}, 0)",
        name = quoted(name),
        tags = quoted(&tags.join("\0")),
    )
}

fn numbered(texts: &[Texts]) -> Vec<(u128, Texts)> {
    (1..).zip(texts.iter().copied()).collect()
}

#[tokio::test]
async fn pending_and_indexed_rows_are_both_found() {
    let trial = Trial::new(&TEXTS[..5]).await;
    trial.assert_finds_all(&numbered(&TEXTS[..5])).await;
    assert_eq!(trial.unsearched().await, 5);
    trial.write(FILL_UP.to_owned() + &insert(6, TEXTS[5])).await;
    assert_eq!(trial.unsearched().await, 0);
    trial.assert_finds_all(&numbered(&TEXTS)).await;
}

#[tokio::test]
async fn changed_and_removed_texts_are_no_longer_found() {
    let trial = Trial::new(&TEXTS).await;
    let change = "UPDATE task_executions SET name_folded = 'ночной обход 2' WHERE row = 1;
        UPDATE task_executions SET description_folded = 'along the fence', tags_folded = 'tail'
            WHERE row = 2;
        DELETE FROM task_executions WHERE row = 3";
    let changed = [
        (1, ("ночной обход 2", TEXTS[0].1, TEXTS[0].2)),
        (2, (TEXTS[1].0, Some("along the fence"), ["tail"].as_slice())),
        (4, TEXTS[3]),
        (5, TEXTS[4]),
        (6, TEXTS[5]),
    ];
    trial.write(FILL_UP.to_owned() + change).await;
    assert_eq!(trial.unsearched().await, 2, "two of the changes came after the list was full");
    trial.assert_finds_all(&changed).await;
    let again = "UPDATE task_executions SET tags_folded = 'tail' WHERE row = 2";
    trial.write(FILL_UP.to_owned() + again).await;
    assert_eq!(trial.unsearched().await, 0);
    trial.assert_finds_all(&changed).await;
}

#[tokio::test]
async fn a_refused_write_does_not_change_a_full_list_of_pending_rows() {
    let trial = Trial::new(&TEXTS[..5]).await;
    let sixth = FILL_UP.to_owned() + &insert(6, TEXTS[5]);
    let refused = trial.store.write(move |conn| {
        conn.batch_execute(&sixth)?;
        let rows = diesel::sql_query(COUNT_UNSEARCHED).get_result::<Rows>(conn)?.rows;
        Err::<(), _>(Abort::Refused(StoreError::Internal(format!("{rows} are left"))))
    });
    assert_eq!(refused.await, Err(StoreError::Internal("0 are left".to_owned())));
    assert_eq!(trial.unsearched().await, 5);
    trial.assert_finds_all(&numbered(&TEXTS[..5])).await;
    trial.write(FILL_UP.to_owned() + &insert(6, TEXTS[5])).await;
    assert_eq!(trial.unsearched().await, 0);
    trial.assert_finds_all(&numbered(&TEXTS)).await;
}

#[tokio::test]
async fn a_migrated_store_is_searched_by_trigrams() {
    let trial = Trial::new(&TEXTS).await;
    // The same statements as in the migration.
    let up = include_str!("../../../../../migrations/sqlite/2025-11-21-000011_search/up.sql");
    let before = "DROP TABLE task_execution_texts; DROP TABLE task_execution_unsearched;
        DROP TRIGGER task_executions_inserted; DROP TRIGGER task_executions_reworded;
        DROP TRIGGER task_executions_deleted;";
    trial.write(format!("{before}{up}")).await;
    assert_eq!(trial.unsearched().await, 0);
    trial.assert_finds_all(&numbered(&TEXTS)).await;
}

#[tokio::test]
async fn a_common_term_is_searched_in_the_order_of_the_list() {
    let trial = Trial::new(&[]).await;
    let many =
        "WITH RECURSIVE many (row) AS (SELECT 7 UNION ALL SELECT row + 1 FROM many LIMIT 20050) "
            .to_owned();
    let rows = insert(7, ("round", None, &[]))
        .replace("VALUES (7, ", "SELECT row, ")
        .replace("x'00000000000000000000000000000007'", "unhex(printf('%032x', row))")
        .replace("NULL, NULL, 0)", "NULL, NULL, 0 FROM many");
    trial.write(many + &rows).await;
    let all = || Condition::All(vec![]);
    assert_eq!(trial.list(all(), Some("round")).await, ((7..107).collect(), 20_050));
    assert_eq!(trial.list(all(), Some("rounds")).await, (vec![], 0));
}
