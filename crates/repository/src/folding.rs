//! Repairs the folded texts, which lists compare and users sign in with: an older version of the program
//! does not write all of them, or folds in another way, and so may a new version of Unicode.
//!
//! Tables that may be large are checked only if the store was not yet checked for the present form of
//! folded texts. What a node of another version writes there later stays as it is.

use diesel::{
    alias,
    dsl::{exists, not},
    prelude::*,
};
use futures_util::{FutureExt as _, future::BoxFuture};
use patrol_domain::{
    ids::Uuid,
    shared::text::{fold, fold_form},
};

use crate::{
    Connection,
    stored::{
        location, page,
        page::{Place, ROWS},
        point, scheduled_task,
        schema::{
            check_lists, folding, graphic_plans, locations, point_history, points, scheduled_tasks,
            task_executions, tokens, users,
        },
        sql::{Id, Texts, columns, id},
        statement::update,
        user,
    },
};

/// A table with folded texts.
#[derive(Clone, Copy, Debug)]
enum Table {
    /// The unique texts of users. Each has an update of its own, which another user's text may prevent.
    UserNames,
    Users,
    Points,
    CheckLists,
    GraphicPlans,
    ScheduledTasks,
    Locations,
    Tokens,
    PointHistory,
    TaskExecutions,
}

/// The tables that are checked each time.
const SMALL: &[Table] = &[
    Table::UserNames,
    Table::Users,
    Table::Points,
    Table::CheckLists,
    Table::GraphicPlans,
    Table::ScheduledTasks,
    Table::Locations,
    Table::Tokens,
];
/// The tables that are checked once for a form.
const LARGE: &[Table] = &[Table::PointHistory, Table::TaskExecutions];

/// What is left to check.
#[derive(Clone, Copy, Debug)]
pub struct Remaining {
    tables: &'static [Table],
    /// The place in the first of `tables`.
    after: Place,
}

/// What to do with outdated texts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Find,
    Repair,
}

/// A checked page.
struct Page {
    /// The place after it; `None` at the end of the table.
    next: Option<Place>,
    is_outdated: bool,
}

impl Remaining {
    /// The tables that are checked each time.
    pub const SMALL: Self = Self { tables: SMALL, after: Place::Start };
    /// The other tables. Check them unless [`is_checked`], and [`record`] it.
    pub const LARGE: Self = Self { tables: LARGE, after: Place::Start };

    /// What is left after `page`.
    fn without(self, page: &Page) -> Self {
        match (page.next, self.tables) {
            (Some(after), tables) => Self { tables, after },
            (None, [_, tables @ ..]) => Self { tables, after: Place::Start },
            (None, []) => self,
        }
    }

    /// The next page that has missing or outdated texts, and what follows it. Only reads. Boxed,
    /// because the compiler cannot show of a known connection that the future is `Send`
    /// (rust-lang/rust#100013).
    ///
    /// # Errors
    /// Those of the database.
    pub fn outdated(mut self, conn: &impl Connection) -> BoxFuture<'_, QueryResult<Option<Self>>> {
        async move {
            while let [table, ..] = self.tables {
                let page = table.check(conn, self.after, Mode::Find).await?;
                if page.is_outdated {
                    return Ok(Some(self));
                }
                self = self.without(&page);
            }
            Ok(None)
        }
        .boxed()
    }

    /// Writes the outdated texts of the first page, unless a record has changed in the meantime. Returns
    /// what follows the page.
    ///
    /// # Errors
    /// Those of the database.
    pub fn repair(self, conn: &impl Connection) -> BoxFuture<'_, QueryResult<Self>> {
        async move {
            let [table, ..] = self.tables else { return Ok(self) };
            Ok(self.without(&table.check(conn, self.after, Mode::Repair).await?))
        }
        .boxed()
    }
}

/// Whether the large tables were checked for the present form of folded texts.
///
/// # Errors
/// Those of the database.
pub fn is_checked(conn: &impl Connection) -> BoxFuture<'_, QueryResult<bool>> {
    async {
        let form: Option<String> = conn.first(folding::table.select(folding::form)).await?;
        Ok(form == Some(fold_form()))
    }
    .boxed()
}

/// Records that the large tables were checked for the present form.
///
/// # Errors
/// Those of the database.
pub fn record(conn: &impl Connection) -> BoxFuture<'_, QueryResult<()>> {
    async {
        let form = folding::form.eq(fold_form());
        conn.execute(update(folding::table, folding::id.eq(1), form)).await.map(drop)
    }
    .boxed()
}

impl Table {
    async fn check(self, conn: &impl Connection, after: Place, mode: Mode) -> QueryResult<Page> {
        match self {
            Self::UserNames => user_names(conn, after, mode).await,
            Self::Users => of_users(conn, after, mode).await,
            Self::Points => of_points(conn, after, mode).await,
            Self::CheckLists => of_check_lists(conn, after, mode).await,
            Self::GraphicPlans => of_graphic_plans(conn, after, mode).await,
            Self::ScheduledTasks => of_scheduled_tasks(conn, after, mode).await,
            Self::Locations => of_locations(conn, after, mode).await,
            Self::Tokens => of_tokens(conn, after, mode).await,
            Self::PointHistory => point_history(conn, after, mode).await,
            Self::TaskExecutions => of_executions(conn, after, mode).await,
        }
    }
}

/// Declares the check of a page of a table: a column that changes when the record does, the columns to
/// read, their type, and the right texts if those of the row are outdated. Or the rows to read: the record
/// and its folded texts.
macro_rules! check_table {
    ($name:ident: $table:ident, $row:ty, $folded:ty, $outdated:expr) => {
        check_table!(
            $name: $table, version: i64,
            (columns::<$row>(), columns::<$folded>()), ($row, $folded), $outdated
        );
    };
    ($name:ident: $table:ident, $same:ident: $version:ty, $columns:expr, $read:ty, $outdated:expr) => {
        async fn $name(conn: &impl Connection, after: Place, mode: Mode) -> QueryResult<Page> {
            let query = page!($table, ($table::$same, $columns), after);
            let rows: Vec<(i64, Id, ($version, $read))> = conn.load(query).await?;
            let next = rows.last().map(|(row, last, _)| Place::After(*row, *last));
            let mut updates = Vec::new();
            for (_, record, (version, read)) in rows {
                let (Some(record), Some(texts)) = (record.get::<Uuid>(), $outdated(read)) else {
                    continue;
                };
                let same = $table::id.eq(id(record)).and($table::$same.eq(version));
                updates.push(update($table::table, same, texts));
            }
            let is_outdated = !updates.is_empty();
            if mode == Mode::Repair {
                conn.execute_all(updates).await?;
            }
            Ok(Page { next, is_outdated })
        }
    };
}

check_table!(of_users: users, user::UserRow, user::Folded, user::outdated);
check_table!(of_points: points, point::PointRow, point::Folded, point::outdated);
check_table!(
    of_scheduled_tasks: scheduled_tasks,
    scheduled_task::ScheduledTaskRow,
    scheduled_task::Folded,
    scheduled_task::outdated
);
check_table!(
    of_check_lists: check_lists,
    version: i64,
    (check_lists::name, check_lists::name_folded),
    (String, Option<String>),
    |(name, stored): (String, _)| {
        let folded = Some(fold(&name));
        (folded != stored).then(|| check_lists::name_folded.eq(folded))
    }
);
check_table!(
    of_graphic_plans: graphic_plans,
    version: i64,
    (graphic_plans::name, graphic_plans::name_folded),
    (String, Option<String>),
    |(name, stored): (String, _)| {
        let folded = Some(fold(&name));
        (folded != stored).then(|| graphic_plans::name_folded.eq(folded))
    }
);
check_table!(
    of_tokens: tokens,
    name: String,
    (tokens::name, tokens::name_folded),
    (String, String),
    |(name, stored): (String, _)| {
        let folded = fold(&name);
        (folded != stored).then(|| tokens::name_folded.eq(folded))
    }
);
check_table!(of_locations: locations, location::LocationRow, location::Folded, location::outdated);
check_table!(
    of_executions: task_executions,
    version: i64,
    (
        (task_executions::name, task_executions::description, task_executions::tags),
        (
            task_executions::name_folded,
            task_executions::description_folded,
            task_executions::tags_folded
        )
    ),
    ((String, Option<String>, Texts), (String, Option<String>, String)),
    |((name, description, tags), stored): ((String, Option<String>, Texts), _)| {
        let description = description.as_deref().map(fold);
        let folded = (fold(&name), description, tags.folded_tags()?);
        (folded != stored).then(|| {
            let (name, description, tags) = folded;
            (
                task_executions::name_folded.eq(name),
                task_executions::description_folded.eq(description),
                task_executions::tags_folded.eq(tags),
            )
        })
    }
);

/// The texts of a history record, and their folded forms.
type HistoryTexts = (
    (String, Option<String>, Option<String>, Texts),
    (String, Option<String>, Option<String>, String),
);

/// A record of the history never changes, and its key is a number on both stores.
async fn point_history(conn: &impl Connection, after: Place, mode: Mode) -> QueryResult<Page> {
    use point_history::{
        history_id, name, name_folded, qr_code, qr_code_folded, rfid_code, rfid_code_folded, tags,
        tags_folded,
    };
    let after = match after {
        Place::Start => i64::MIN,
        Place::After(key, _) => key,
    };
    let query =
        point_history::table.filter(history_id.gt(after)).order(history_id).limit(ROWS).select((
            history_id,
            (
                (name, rfid_code, qr_code, tags),
                (name_folded, rfid_code_folded, qr_code_folded, tags_folded),
            ),
        ));
    let rows: Vec<(i64, HistoryTexts)> = conn.load(query).await?;
    let next = rows.last().map(|(key, _)| Place::After(*key, id(Uuid::nil())));
    let mut updates = Vec::new();
    for (key, ((text, rfid, qr, labels), stored)) in rows {
        let Some(labels) = labels.folded_tags() else { continue };
        let (rfid, qr) = (rfid.as_deref().map(fold), qr.as_deref().map(fold));
        let folded = (fold(&text), rfid, qr, labels);
        if folded != stored {
            let (text, rfid, qr, labels) = folded;
            let texts = (
                name_folded.eq(text),
                rfid_code_folded.eq(rfid),
                qr_code_folded.eq(qr),
                tags_folded.eq(labels),
            );
            updates.push(update(point_history::table, history_id.eq(key), texts));
        }
    }
    let is_outdated = !updates.is_empty();
    if mode == Mode::Repair {
        conn.execute_all(updates).await?;
    }
    Ok(Page { next, is_outdated })
}

/// The employee number and the email address of a user, each with its folded form.
type UserNames = (Folded, Folded);

/// A text and its stored folded form.
type Folded = (Option<String>, Option<String>);

/// Two names that were different can be the same in the present form. The second one then stays as it is.
async fn user_names(conn: &impl Connection, after: Place, mode: Mode) -> QueryResult<Page> {
    use users::{email, email_folded, employee_no, employee_no_folded, version};
    let names = ((employee_no, employee_no_folded), (email, email_folded));
    let rows: Vec<(i64, Id, (i64, UserNames))> =
        conn.load(page!(users, (version, names), after)).await?;
    let next = rows.last().map(|(row, last, _)| Place::After(*row, *last));
    let others = alias!(users as others);
    let named = others.select(others.field(users::id));
    let (mut numbers, mut emails) = (Vec::new(), Vec::new());
    for (_, user, (known, (number, mail))) in rows {
        let Some(user) = user.get::<Uuid>() else { continue };
        let same = users::id.eq(id(user)).and(version.eq(known));
        if let Some(folded) = outdated(number) {
            let taken = named.filter(others.field(employee_no_folded).eq(folded.clone()));
            let changes = employee_no_folded.eq(folded);
            numbers.push(update(users::table, same.and(not(exists(taken))), changes));
        }
        if let Some(folded) = outdated(mail) {
            let taken = named.filter(others.field(email_folded).eq(folded.clone()));
            let changes = email_folded.eq(folded);
            emails.push(update(users::table, same.and(not(exists(taken))), changes));
        }
    }
    let is_outdated = !numbers.is_empty() || !emails.is_empty();
    if mode == Mode::Repair {
        conn.execute_all(numbers).await?;
        conn.execute_all(emails).await?;
    }
    Ok(Page { next, is_outdated })
}

/// The right folded form of a text, if the stored one is wrong.
fn outdated((text, stored): Folded) -> Option<String> {
    text.as_deref().map(fold).filter(|folded| stored.as_ref() != Some(folded))
}
