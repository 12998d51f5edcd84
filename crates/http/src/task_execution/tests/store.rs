//! A mocked store with a few executions in memory.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::stream;
use patrol_domain::{
    EditError, Existing, Reference, References, StoreError, Version, Versioned,
    ids::{TaskExecutionId, Uuid},
    list::Part,
    series::{MockSeries, Split},
    shared::drafted::MockRecords,
    task_execution::{ExecutionQuery, MockTaskExecutions, TaskExecution},
};

use super::fixture::id;
use crate::tests::{Ports, TestServer};

/// The initial version of every execution.
pub(crate) const FIRST: Version = Version(3);

/// The number of a record that does not exist.
pub(crate) const MISSING: u32 = 0x999;

/// The executions, and the list queries.
#[derive(Clone, Default)]
pub(crate) struct Store {
    records: Arc<Mutex<Vec<Versioned<TaskExecution>>>>,
    queries: Arc<Mutex<Vec<ExecutionQuery>>>,
}

impl Store {
    /// A store with these executions.
    pub(crate) fn of(executions: Vec<TaskExecution>) -> Self {
        let versioned = |record| Versioned { record, version: FIRST };
        let records = executions.into_iter().map(versioned).collect();
        Self { records: Arc::new(Mutex::new(records)), ..Self::default() }
    }

    /// A test server with this store.
    pub(crate) fn server(&self) -> TestServer {
        let mut scheduled_tasks = MockRecords::new();
        scheduled_tasks.expect_get().returning(|_| Ok(None));
        TestServer::new(Ports {
            executions: self.executions(),
            series: self.series(),
            scheduled_tasks,
            ..Ports::default()
        })
    }

    /// The stored execution.
    pub(crate) fn get(&self, number: u32) -> Option<Versioned<TaskExecution>> {
        let id = id(number);
        self.with(|records| records.iter().find(|stored| stored.record.id == id).cloned())
    }

    /// The number of executions.
    pub(crate) fn len(&self) -> usize {
        self.with(|records| records.len())
    }

    /// The last list query.
    pub(crate) fn last_query(&self) -> ExecutionQuery {
        self.queries.lock().unwrap_or_else(PoisonError::into_inner).last().cloned().unwrap()
    }

    fn with<T>(&self, work: impl FnOnce(&mut Vec<Versioned<TaskExecution>>) -> T) -> T {
        work(&mut self.records.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn executions(&self) -> MockTaskExecutions {
        let mut mock = MockTaskExecutions::new();
        let store = self.clone();
        mock.expect_get().returning(move |id| store.with(|records| Ok(at(records, id).cloned())));
        let store = self.clone();
        mock.expect_list().returning(move |query| {
            store.queries.lock().unwrap_or_else(PoisonError::into_inner).push(query);
            let rows = store.with(|records| {
                records.iter().map(|stored| stored.record.summary()).collect::<Vec<_>>()
            });
            let count = u64::try_from(rows.len()).unwrap();
            Box::pin(stream::iter([Ok(Part::Rows(rows)), Ok(Part::Total(count))]))
        });
        let store = self.clone();
        mock.expect_create().returning(move |new, by| {
            let record = (new.make)(&existing(&new.references))?;
            let versioned = Versioned { record: record.clone(), version: Version::of_new(by.at) };
            store.with(|records| records.push(versioned));
            Ok(record)
        });
        let store = self.clone();
        mock.expect_update().returning(move |edit, _| {
            store.with(|records| {
                let stored = at(records, edit.at.id).ok_or(EditError::Missing)?;
                stored.version.check(edit.at.expected)?;
                if let Some(next) = (edit.change)(&stored.record, &existing(&edit.references))? {
                    *stored = Versioned { record: next, version: Version(stored.version.0 + 1) };
                }
                Ok(stored.clone())
            })
        });
        let store = self.clone();
        mock.expect_delete().returning(move |target, _| {
            store.with(|records| {
                let stored = at(records, target.id).ok_or(EditError::Missing)?;
                stored.version.check(target.expected)?;
                records.retain(|stored| stored.record.id != target.id);
                Ok(())
            })
        });
        let store = self.clone();
        mock.expect_copy().returning(move |copy, _| {
            store.with(|records| {
                at(records, copy.must_exist).ok_or(EditError::Missing)?;
                let (mut made, mut unknown) = (Vec::new(), Vec::new());
                for (place, id) in copy.ids.iter().enumerate() {
                    match at(records, *id) {
                        Some(stored) => made.push((copy.make)(&stored.record)),
                        None => unknown.push(place),
                    }
                }
                if !unknown.is_empty() {
                    return Ok(Err(unknown));
                }
                let answer = copy.ids.iter().zip(&made).find(|(id, _)| **id == copy.returned);
                let answer = answer.map(|(_, copy)| Ok(copy.clone())).ok_or(EditError::Missing);
                let versioned = |record| Versioned { record, version: Version(1) };
                records.extend(made.into_iter().map(versioned));
                answer
            })
        });
        mock
    }

    fn series(&self) -> MockSeries {
        let mut mock = MockSeries::new();
        let store = self.clone();
        mock.expect_split().returning(move |split: Split, _| {
            store.with(|records| {
                let from = at(records, split.from.id).ok_or(EditError::Missing)?;
                from.version.check(split.from.expected)?;
                let from = from.record.clone();
                for next in (split.change)(&from, &[], &existing(&split.references))? {
                    if let Some(stored) = at(records, next.id) {
                        *stored =
                            Versioned { record: next, version: Version(stored.version.0 + 1) };
                    }
                }
                Ok(true)
            })
        });
        mock
    }
}

/// A test server whose store is unavailable.
pub(crate) fn unavailable() -> TestServer {
    let error = || StoreError::Unavailable("secret-address".to_owned());
    let mut executions = MockTaskExecutions::new();
    executions.expect_get().returning(move |_| Err(error()));
    executions.expect_list().returning(move |_| Box::pin(stream::iter([Err(error())])));
    executions.expect_update().returning(move |_, _| Err(error().into()));
    executions.expect_delete().returning(move |_, _| Err(error().into()));
    executions.expect_copy().returning(move |_, _| Err(error().into()));
    let mut series = MockSeries::new();
    series.expect_split().returning(move |_, _| Err(error().into()));
    TestServer::new(Ports { executions, series, ..Ports::default() })
}

fn at(
    records: &mut [Versioned<TaskExecution>],
    id: TaskExecutionId,
) -> Option<&mut Versioned<TaskExecution>> {
    records.iter_mut().find(|stored| stored.record.id == id)
}

/// All named records exist, except [`MISSING`].
fn existing(references: &References) -> Existing {
    let all = references.records.iter().flat_map(|(kind, ids)| ids.iter().map(|id| (*kind, *id)));
    all.filter(|(_, known)| *known != id::<Uuid>(MISSING))
        .map(|(kind, id)| Reference { kind, id, parent: None })
        .collect()
}
