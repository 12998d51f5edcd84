//! The tables of both stores, as `migrations/sqlite` and `migrations/postgres` create them. A
//! column that only one store has is marked, and the other store's code must not use it: every
//! query selects its columns explicitly, also within `exists`.
//!
//! SQLite finds rows fastest by an integer key, `row`, which link tables refer to. These are not here:
//! `link.rs` and `user/mod.rs` name them.

use diesel::{Column, Expression, allow_tables_to_appear_in_same_query, joinable, table};

use crate::stored::sql::types::Steps;

table! {
    use crate::stored::sql::types::*;

    locations (id) {
        /// SQLite.
        row -> BigInt,
        id -> Id,
        name -> Text,
        name_folded -> Text,
        address -> Text,
        address_folded -> Text,
        latitude -> Nullable<Double>,
        longitude -> Nullable<Double>,
        tags -> Texts,
        tags_folded -> Text,
        version -> BigInt,
    }
}

table! {
    use crate::stored::sql::types::*;

    graphic_plans (id) {
        /// SQLite.
        row -> BigInt,
        id -> Id,
        location_id -> Id,
        name -> Text,
        name_folded -> Nullable<Text>,
        image_id -> Nullable<Id>,
        image_format -> Nullable<SmallInt>,
        width -> Nullable<Integer>,
        height -> Nullable<Integer>,
        version -> BigInt,
    }
}

table! {
    use crate::stored::sql::types::*;

    users (id) {
        /// SQLite.
        row -> BigInt,
        id -> Id,
        first_name -> Text,
        middle_name -> Nullable<Text>,
        last_name -> Text,
        employee_no -> Nullable<Text>,
        employee_no_folded -> Nullable<Text>,
        employee_pin -> Nullable<Text>,
        email -> Nullable<Text>,
        email_folded -> Nullable<Text>,
        phone -> Nullable<Text>,
        language -> Text,
        role -> SmallInt,
        status -> SmallInt,
        photo_id -> Nullable<Id>,
        /// PostgreSQL.
        location_ids -> Ids,
        tags -> Texts,
        linked -> Bool,
        // Null in rows of an older version, until the next start.
        first_name_folded -> Nullable<Text>,
        middle_name_folded -> Nullable<Text>,
        last_name_folded -> Nullable<Text>,
        /// The full name.
        name_folded -> Nullable<Text>,
        phone_folded -> Nullable<Text>,
        language_folded -> Nullable<Text>,
        tags_folded -> Nullable<Text>,
        version -> BigInt,
    }
}

table! {
    use crate::stored::sql::types::*;

    /// PostgreSQL.
    user_name_locks (bucket) {
        bucket -> Integer,
    }
}

table! {
    use crate::stored::sql::types::*;

    passwords (user_id) {
        /// SQLite.
        user_row -> BigInt,
        /// PostgreSQL.
        user_id -> Id,
        hash -> Text,
        last_sign_in_at -> Nullable<Instant>,
    }
}

table! {
    use crate::stored::sql::types::*;

    sessions (id) {
        id -> Id,
        digest -> Binary,
        user_id -> Id,
        created_at -> Instant,
        last_seen_at -> Instant,
        address -> Text,
        browser -> Text,
    }
}

table! {
    use crate::stored::sql::types::*;

    invitations (digest) {
        digest -> Binary,
        user_id -> Id,
        created_at -> Instant,
        expires_at -> Instant,
        ended_at -> Nullable<Instant>,
    }
}

table! {
    use crate::stored::sql::types::*;

    sign_in_failures (counter) {
        counter -> Binary,
        times -> Binary,
        expires_at -> Instant,
    }
}

table! {
    use crate::stored::sql::types::*;

    photo_announcements (photo_id) {
        photo_id -> Id,
        announced_at -> Instant,
        condemned -> Bool,
    }
}

table! {
    use crate::stored::sql::types::*;

    media (id) {
        id -> Id,
        object_id -> Id,
        kind -> SmallInt,
        size -> BigInt,
        sha256 -> Binary,
        created_at -> Instant,
        user_id -> Nullable<Id>,
    }
}

table! {
    use crate::stored::sql::types::*;

    media_uses (media_id, execution_id) {
        media_id -> Id,
        execution_id -> Id,
    }
}

table! {
    use crate::stored::sql::types::*;

    tokens (id) {
        /// SQLite.
        row -> BigInt,
        id -> Id,
        digest -> Binary,
        user_id -> Id,
        name -> Text,
        name_folded -> Text,
        created_at -> Instant,
        expires_at -> Nullable<Instant>,
        last_used_at -> Nullable<Instant>,
    }
}

table! {
    use crate::stored::sql::types::*;

    points (id) {
        /// SQLite.
        row -> BigInt,
        id -> Id,
        location_id -> Id,
        name -> Text,
        kind -> SmallInt,
        latitude -> Nullable<Double>,
        longitude -> Nullable<Double>,
        graphic_plans -> Places,
        rfid_code -> Nullable<Text>,
        qr_code -> Nullable<Text>,
        tags -> Texts,
        // Null in rows of an older version, until the next start.
        name_folded -> Nullable<Text>,
        rfid_code_folded -> Nullable<Text>,
        qr_code_folded -> Nullable<Text>,
        tags_folded -> Nullable<Text>,
        version -> BigInt,
    }
}

table! {
    use crate::stored::sql::types::*;

    point_history (history_id) {
        history_id -> BigInt,
        operation -> SmallInt,
        recorded_at -> Instant,
        id -> Id,
        location_id -> Id,
        name -> Text,
        name_folded -> Text,
        kind -> SmallInt,
        latitude -> Nullable<Double>,
        longitude -> Nullable<Double>,
        graphic_plans -> Places,
        rfid_code -> Nullable<Text>,
        rfid_code_folded -> Nullable<Text>,
        qr_code -> Nullable<Text>,
        qr_code_folded -> Nullable<Text>,
        tags -> Texts,
        tags_folded -> Text,
    }
}

table! {
    use crate::stored::sql::types::*;

    check_lists (id) {
        /// SQLite.
        row -> BigInt,
        id -> Id,
        name -> Text,
        name_folded -> Nullable<Text>,
        version -> BigInt,
    }
}

table! {
    use crate::stored::sql::types::*;

    check_list_actions (id) {
        /// SQLite.
        row -> BigInt,
        id -> Id,
        /// SQLite.
        check_list_row -> BigInt,
        /// PostgreSQL.
        check_list_id -> Id,
        /// PostgreSQL: the position among actions with the same `place`.
        position -> Integer,
        name -> Text,
        kind -> SmallInt,
        place -> Integer,
        required -> Bool,
        min_value -> Nullable<Double>,
        max_value -> Nullable<Double>,
    }
}

table! {
    use crate::stored::sql::types::*;

    scheduled_tasks (id) {
        /// SQLite.
        row -> BigInt,
        id -> Id,
        version -> BigInt,
        name -> Text,
        description -> Nullable<Text>,
        location_id -> Nullable<Id>,
        assignee_ids -> Ids,
        /// PostgreSQL.
        check_list_ids -> Ids,
        priority -> SmallInt,
        order_steps_required -> Bool,
        strict_time_required -> Bool,
        deadlined -> Bool,
        published -> Bool,
        enabled -> Bool,
        series_id -> Nullable<Id>,
        tags -> Texts,
        // Null in rows of an older version, until the next start.
        name_folded -> Nullable<Text>,
        description_folded -> Nullable<Text>,
        tags_folded -> Nullable<Text>,
        schedule -> Nullable<Text>,
        steps -> Nullable<Steps>,
        due_at -> Nullable<BigInt>,
        compare_from -> Nullable<BigInt>,
        changed_by -> Nullable<Id>,
        changed_with -> Nullable<Id>,
        changed_in -> Nullable<Text>,
    }
}

table! {
    use crate::stored::sql::types::*;

    scheduled_task_occurrences (task_id, start) {
        task_id -> Id,
        start -> BigInt,
        execution_id -> Id,
    }
}

table! {
    use crate::stored::sql::types::*;

    task_executions (id) {
        row -> BigInt,
        id -> Id,
        version -> BigInt,
        scheduled_task_id -> Id,
        series_id -> Nullable<Id>,
        location_id -> Id,
        performer_id -> Nullable<Id>,
        assignee_ids -> Ids,
        point_ids -> Ids,
        state -> SmallInt,
        status -> Nullable<SmallInt>,
        priority -> SmallInt,
        published -> Bool,
        order_steps_required -> Bool,
        strict_time_required -> Bool,
        deadlined -> Bool,
        edited -> Bool,
        start_at -> Instant,
        end_at -> Instant,
        started_at -> Nullable<Instant>,
        ended_at -> Nullable<Instant>,
        error_count -> Integer,
        warning_count -> Integer,
        step_count -> Integer,
        executed_step_count -> Integer,
        name -> Text,
        name_folded -> Text,
        tags -> Texts,
        tags_folded -> Text,
        description -> Nullable<Text>,
        description_folded -> Nullable<Text>,
        flag_count -> Integer,
    }
}

/// PostgreSQL: the column `steps` of `task_executions`, which is written here and read in SQL of its own.
/// It would be the 33rd of the table, and Diesel for wider tables than 32 takes 48 s to compile, not 14.
#[derive(Debug, Clone, Copy)]
pub struct ExecutionSteps;

impl Expression for ExecutionSteps {
    type SqlType = Steps;
}

impl Column for ExecutionSteps {
    type Table = task_executions::table;

    const NAME: &'static str = "steps";
}

table! {
    use crate::stored::sql::types::*;

    reports (row) {
        row -> BigInt,
        id -> Id,
        execution_id -> Id,
        kind -> SmallInt,
        at -> Instant,
        received_at -> Instant,
        user_id -> Nullable<Id>,
        performer_id -> Nullable<Id>,
        step_id -> Nullable<Id>,
        action_id -> Nullable<Id>,
        latitude -> Nullable<Double>,
        longitude -> Nullable<Double>,
        accuracy -> Nullable<Double>,
        technology -> Nullable<SmallInt>,
        code -> Nullable<Text>,
        boolean_value -> Nullable<Bool>,
        number_value -> Nullable<Double>,
        text_value -> Nullable<Text>,
        media_ids -> Ids,
        accepted -> Nullable<BigInt>,
        refusal -> Nullable<SmallInt>,
        flagged -> Bool,
        verdicts -> Texts,
    }
}

table! {
    use crate::stored::sql::types::*;

    /// SQLite.
    task_execution_steps (row) {
        row -> BigInt,
        document -> Steps,
    }
}

table! {
    use crate::stored::sql::types::*;

    events (position) {
        position -> BigInt,
        id -> Id,
        at -> Instant,
        #[sql_name = "type"]
        kind -> Text,
        resource_type -> Text,
        resource_id -> Nullable<Id>,
        actor_id -> Nullable<Id>,
        token_id -> Nullable<Id>,
        request_id -> Nullable<Text>,
        size -> Integer,
        changes -> Text,
        removed_row -> Nullable<BigInt>,
    }
}

table! {
    use crate::stored::sql::types::*;

    idempotency_keys (key) {
        key -> Binary,
        run -> Id,
        fingerprint -> Binary,
        expires_at -> BigInt,
        effect -> Nullable<Ids>,
        answer -> Nullable<Binary>,
        /// PostgreSQL.
        held_until -> BigInt,
    }
}

table! {
    use crate::stored::sql::types::*;

    /// SQLite.
    revision (aggregate) {
        aggregate -> Text,
        changes -> BigInt,
    }
}

table! {
    use crate::stored::sql::types::*;

    /// A single row.
    folding (id) {
        id -> Integer,
        form -> Text,
    }
}

joinable!(tokens -> users (user_id));
allow_tables_to_appear_in_same_query!(
    task_executions,
    task_execution_steps,
    scheduled_task_occurrences
);
allow_tables_to_appear_in_same_query!(scheduled_tasks, scheduled_task_occurrences,);
allow_tables_to_appear_in_same_query!(scheduled_tasks, task_executions);
allow_tables_to_appear_in_same_query!(check_list_actions, check_lists);
allow_tables_to_appear_in_same_query!(media, media_uses);
allow_tables_to_appear_in_same_query!(tokens, users);
allow_tables_to_appear_in_same_query!(passwords, users);
