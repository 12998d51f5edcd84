//! The members of a record before and after a change, as JSON for events.

mod members;

use patrol_domain::{
    access::Token, check_list::CheckList, event::Resource, graphic_plan::GraphicPlan, ids::Uuid,
    location::Location, media::Medium, point::Point, scheduled_task::ScheduledTask,
    sign_in::Account, task_execution::TaskExecution, user::User,
};
use serde::Serialize;

use self::members::Members;
use crate::{
    AccountRecord, CheckListRecord, ExecutionRecord, GraphicPlanRecord, LocationRecord,
    MediumRecord, PointRecord, ScheduledTaskRecord, TokenRecord, UserRecord,
};

/// A record whose changes are events.
pub trait Recorded {
    /// The kind of record.
    const RESOURCE: Resource;
    /// Members whose values must not be in events. Events contain `***` instead.
    const SECRET: &'static [&'static str] = &[];

    /// The JSON form of the record: a struct that implements [`Serialize`].
    type Form<'a>: Serialize
    where
        Self: 'a;

    /// The id of the record.
    fn id(&self) -> Uuid;
    /// The JSON form of the record, the same as in the API.
    fn form(&self) -> Self::Form<'_>;
    /// The form to compare with that of `other`: large members that are equal in both may be empty,
    /// which saves writing their JSON.
    fn form_beside(&self, _other: &Self) -> Self::Form<'_> {
        self.form()
    }
}

/// The JSON that replaces a secret value.
const MASK: &str = r#""***""#;

/// The changed members as a JSON array of `{member, before, after}`; `None` when nothing changed.
/// `before` is `None` for a created record, `after` for a deleted one; the array then contains all
/// members except empty ones.
///
/// # Errors
/// When the record cannot be written as JSON.
pub fn changes<T: Recorded>(
    before: Option<&T>,
    after: Option<&T>,
) -> Result<Option<String>, serde_json::Error> {
    let is_update = before.is_some() && after.is_some();
    let json = |record: Option<&T>, other: Option<&T>| match (record, other) {
        (Some(record), Some(other)) => serde_json::to_string(&record.form_beside(other)),
        (Some(record), None) => serde_json::to_string(&record.form()),
        (None, _) => Ok("{}".to_owned()),
    };
    let (before, after) = (json(before, after)?, json(after, before)?);
    let before: Members<'_> = serde_json::from_str(&before)?;
    let after: Members<'_> = serde_json::from_str(&after)?;
    let names = if after.is_empty() { before.names() } else { after.names() };
    let mut array = Array::default();
    for name in names {
        let (old, new) = (before.value(name), after.value(name));
        if old == new || (!is_update && is_empty(old) && is_empty(new)) {
            continue;
        }
        if T::SECRET.contains(&name) {
            array.push(name, MASK, MASK);
        } else {
            array.push(name, old.unwrap_or(NULL), new.unwrap_or(NULL));
        }
    }
    Ok(array.finish())
}

/// The number of imported records of each kind, as a JSON array like that of [`changes`]; `None` when
/// nothing was imported.
#[must_use]
pub fn import_counts(counts: impl Iterator<Item = (Resource, u64)>) -> Option<String> {
    let mut array = Array::default();
    for (kind, count) in counts.filter(|(_, count)| *count > 0) {
        array.push(kind.name(), NULL, &count.to_string());
    }
    array.finish()
}

/// One member that was added, as a JSON array like that of [`changes`]. `after` is JSON.
#[must_use]
pub fn added(member: &str, after: &str) -> String {
    let mut array = Array::default();
    array.push(member, NULL, after);
    array.finish().unwrap_or_default()
}

const NULL: &str = "null";

/// Whether the value is absent, null, or an empty text, list or object.
fn is_empty(value: Option<&str>) -> bool {
    matches!(value, None | Some("null" | "\"\"" | "[]" | "{}"))
}

/// Builds the JSON array of changes.
#[derive(Default)]
struct Array(String);

impl Array {
    /// Adds a change. `before` and `after` are JSON. `member` is written without escapes, which names
    /// of members do not need.
    fn push(&mut self, member: &str, before: &str, after: &str) {
        let opening = if self.0.is_empty() { "[" } else { "," };
        for part in [
            opening,
            r#"{"member":""#,
            member,
            r#"","before":"#,
            before,
            r#","after":"#,
            after,
            "}",
        ] {
            self.0.push_str(part);
        }
    }

    /// The whole array; `None` when it is empty.
    fn finish(mut self) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        self.0.push(']');
        Some(self.0)
    }
}

impl Recorded for TaskExecution {
    const RESOURCE: Resource = Resource::TaskExecution;
    type Form<'a> = ExecutionRecord<'a>;

    fn id(&self) -> Uuid {
        self.id.0
    }

    fn form(&self) -> ExecutionRecord<'_> {
        ExecutionRecord::new(self)
    }

    /// The JSON of a step depends only on the step, and on whether the execution is COMPLETED.
    fn form_beside(&self, other: &Self) -> ExecutionRecord<'_> {
        let are_equal = self.is_completed() == other.is_completed() && self.steps == other.steps;
        if are_equal { self.form().without_steps() } else { self.form() }
    }
}

impl Recorded for User {
    const RESOURCE: Resource = Resource::User;
    const SECRET: &'static [&'static str] = &["employeePin"];
    type Form<'a> = UserRecord<'a>;

    fn id(&self) -> Uuid {
        self.id.0
    }

    fn form(&self) -> UserRecord<'_> {
        UserRecord::new(self, true)
    }
}

/// Only for updates: the other members of the user are not compared.
impl Recorded for Account {
    const RESOURCE: Resource = Resource::User;
    const SECRET: &'static [&'static str] = &["password"];
    type Form<'a> = AccountRecord<'a>;

    fn id(&self) -> Uuid {
        self.user.id.0
    }

    fn form(&self) -> AccountRecord<'_> {
        AccountRecord::new(self)
    }
}

impl Recorded for Location {
    const RESOURCE: Resource = Resource::Location;
    type Form<'a> = LocationRecord<'a>;

    fn id(&self) -> Uuid {
        self.id.0
    }

    fn form(&self) -> LocationRecord<'_> {
        LocationRecord::new(self)
    }
}

impl Recorded for Point {
    const RESOURCE: Resource = Resource::Point;
    type Form<'a> = PointRecord<'a>;

    fn id(&self) -> Uuid {
        self.id.0
    }

    fn form(&self) -> PointRecord<'_> {
        PointRecord::new(self)
    }
}

impl Recorded for GraphicPlan {
    const RESOURCE: Resource = Resource::GraphicPlan;
    type Form<'a> = GraphicPlanRecord<'a>;

    fn id(&self) -> Uuid {
        self.id.0
    }

    fn form(&self) -> GraphicPlanRecord<'_> {
        GraphicPlanRecord::new(self)
    }
}

impl Recorded for Medium {
    const RESOURCE: Resource = Resource::Media;
    type Form<'a> = MediumRecord;

    fn id(&self) -> Uuid {
        self.id.0
    }

    fn form(&self) -> MediumRecord {
        MediumRecord::new(self)
    }
}

impl Recorded for CheckList {
    const RESOURCE: Resource = Resource::CheckList;
    type Form<'a> = CheckListRecord<'a>;

    fn id(&self) -> Uuid {
        self.id.0
    }

    fn form(&self) -> CheckListRecord<'_> {
        CheckListRecord::new(self)
    }
}

impl Recorded for ScheduledTask {
    const RESOURCE: Resource = Resource::ScheduledTask;
    type Form<'a> = ScheduledTaskRecord<'a>;

    fn id(&self) -> Uuid {
        self.id.0
    }

    /// Without nextStartAt, which changes with the time.
    fn form(&self) -> ScheduledTaskRecord<'_> {
        ScheduledTaskRecord::new(self, None)
    }

    fn form_beside(&self, other: &Self) -> ScheduledTaskRecord<'_> {
        if self.steps == other.steps { self.form().without_steps() } else { self.form() }
    }
}

impl Recorded for Token {
    const RESOURCE: Resource = Resource::Token;
    type Form<'a> = TokenRecord<'a>;

    fn id(&self) -> Uuid {
        self.id.0
    }

    fn form(&self) -> TokenRecord<'_> {
        TokenRecord::new(self)
    }
}

#[cfg(test)]
mod tests {
    use patrol_domain::access::Role;
    use patrol_domain::check_list::CheckListAction;
    use patrol_domain::ids::{CheckListActionId, CheckListId};
    use patrol_domain::task_execution::ActionType;

    use super::*;

    fn list(name: &str, actions: &[&str]) -> CheckList {
        let action = |(number, name): (u128, &&str)| {
            CheckListAction::new(
                CheckListActionId(Uuid::from_u128(number)),
                *name,
                ActionType::Boolean,
            )
        };
        CheckList {
            id: CheckListId(Uuid::from_u128(9)),
            name: name.to_owned(),
            actions: (1..).zip(actions).map(action).collect(),
        }
    }

    fn check_list_changes(before: Option<&CheckList>, after: Option<&CheckList>) -> Option<String> {
        changes(before, after).unwrap()
    }

    const ID: &str = "00000000-0000-0000-0000-000000000009";

    #[test]
    fn an_update_contains_only_the_changed_members() {
        let (old, new) = (list("a \"quoted\"", &[]), list("b", &[]));
        assert_eq!(
            check_list_changes(Some(&old), Some(&new)).as_deref(),
            Some(r#"[{"member":"name","before":"a \"quoted\"","after":"b"}]"#)
        );
        assert_eq!(check_list_changes(Some(&old), Some(&old)), None);
        let cleared = list("", &[]);
        assert_eq!(
            check_list_changes(Some(&new), Some(&cleared)).as_deref(),
            Some(r#"[{"member":"name","before":"b","after":""}]"#)
        );
    }

    #[test]
    fn a_created_or_deleted_record_has_all_members_except_empty_ones() {
        let list = list("a", &[]);
        let created = format!(
            "[{{\"member\":\"id\",\"before\":null,\"after\":\"{ID}\"}},\
             {{\"member\":\"name\",\"before\":null,\"after\":\"a\"}}]"
        );
        assert_eq!(check_list_changes(None, Some(&list)), Some(created));
        let deleted = format!(
            "[{{\"member\":\"id\",\"before\":\"{ID}\",\"after\":null}},\
             {{\"member\":\"name\",\"before\":\"a\",\"after\":null}}]"
        );
        assert_eq!(check_list_changes(Some(&list), None), Some(deleted));
    }

    #[test]
    fn a_password_is_a_masked_member_of_its_user() {
        let user = User::new(Uuid::from_u128(1).into(), "Ada", "Guard", "en", Role::Employee);
        let none = Account { user, hash: None };
        let one = none.with_hash(Some("$argon2id$one".to_owned()));
        let two = one.with_hash(Some("$argon2id$two".to_owned()));
        let password = r#"{"member":"password","before":"***","after":"***"}"#;
        assert_eq!(changes(Some(&one), Some(&two)).unwrap(), Some(format!("[{password}]")));
        let linked = r#"{"member":"userLinked","before":true,"after":false}"#;
        let removed = Some(format!("[{password},{linked}]"));
        assert_eq!(changes(Some(&two), Some(&none)).unwrap(), removed);
        assert_eq!(changes(Some(&one), Some(&one)).unwrap(), None);
        assert_eq!(changes(Some(&none), Some(&none)).unwrap(), None);
    }

    #[test]
    fn a_list_that_becomes_empty_is_a_change() {
        let (old, new) = (list("a", &["x"]), list("a", &[]));
        let changed = check_list_changes(Some(&old), Some(&new)).unwrap();
        assert!(changed.starts_with(r#"[{"member":"actions","before":[{"id":"#), "{changed}");
        assert!(changed.ends_with(r#"}],"after":[]}]"#), "{changed}");
    }

    #[test]
    fn an_import_contains_the_number_of_records_of_each_kind() {
        let counts = [(Resource::User, 3), (Resource::Point, 0), (Resource::TaskExecution, 1)];
        let changes = import_counts(counts.into_iter());
        let expected = r#"[{"member":"user","before":null,"after":3},"#.to_owned()
            + r#"{"member":"taskExecution","before":null,"after":1}]"#;
        assert_eq!(changes, Some(expected));
    }
}
