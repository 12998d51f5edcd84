//! The tables, as `migrations/postgres` makes them.

use diesel::{allow_tables_to_appear_in_same_query, joinable, table};

table! {
    locations (id) {
        id -> Uuid,
        name -> Text,
        name_folded -> Text,
        address -> Text,
        address_folded -> Text,
        latitude -> Nullable<Double>,
        longitude -> Nullable<Double>,
        tags -> Array<Text>,
        tags_folded -> Text,
    }
}

table! {
    graphic_plans (id) {
        id -> Uuid,
        location_id -> Uuid,
        name -> Text,
    }
}

table! {
    users (id) {
        id -> Uuid,
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
        photo_id -> Nullable<Uuid>,
        location_ids -> Array<Uuid>,
        tags -> Array<Text>,
        linked -> Bool,
    }
}

table! {
    user_name_locks (bucket) {
        bucket -> Integer,
    }
}

table! {
    passwords (user_id) {
        user_id -> Uuid,
        hash -> Text,
    }
}

table! {
    tokens (id) {
        id -> Uuid,
        digest -> Binary,
        user_id -> Uuid,
        name -> Text,
        name_folded -> Text,
        created_at -> Timestamptz,
        expires_at -> Nullable<Timestamptz>,
        last_used_at -> Nullable<Timestamptz>,
    }
}

table! {
    points (id) {
        id -> Uuid,
        location_id -> Uuid,
        name -> Text,
        kind -> SmallInt,
        latitude -> Nullable<Double>,
        longitude -> Nullable<Double>,
        graphic_plans -> Json,
        rfid_code -> Nullable<Text>,
        qr_code -> Nullable<Text>,
        tags -> Array<Text>,
    }
}

table! {
    point_history (history_id) {
        history_id -> BigInt,
        operation -> SmallInt,
        recorded_at -> Timestamptz,
        id -> Uuid,
        location_id -> Uuid,
        name -> Text,
        name_folded -> Text,
        kind -> SmallInt,
        latitude -> Nullable<Double>,
        longitude -> Nullable<Double>,
        graphic_plans -> Json,
        rfid_code -> Nullable<Text>,
        rfid_code_folded -> Nullable<Text>,
        qr_code -> Nullable<Text>,
        qr_code_folded -> Nullable<Text>,
        tags -> Array<Text>,
        tags_folded -> Text,
    }
}

table! {
    check_lists (id) {
        id -> Uuid,
        name -> Text,
    }
}

table! {
    check_list_actions (id) {
        id -> Uuid,
        check_list_id -> Uuid,
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
    scheduled_tasks (id) {
        id -> Uuid,
        name -> Text,
        description -> Nullable<Text>,
    }
}

table! {
    task_executions (id) {
        id -> Uuid,
        version -> BigInt,
        scheduled_task_id -> Uuid,
        series_id -> Nullable<Uuid>,
        location_id -> Uuid,
        performer_id -> Nullable<Uuid>,
        assignee_ids -> Array<Uuid>,
        point_ids -> Array<Uuid>,
        state -> SmallInt,
        status -> Nullable<SmallInt>,
        priority -> SmallInt,
        published -> Bool,
        order_steps_required -> Bool,
        strict_time_required -> Bool,
        deadlined -> Bool,
        edited -> Bool,
        start_at -> Timestamptz,
        end_at -> Timestamptz,
        started_at -> Nullable<Timestamptz>,
        ended_at -> Nullable<Timestamptz>,
        error_count -> Integer,
        warning_count -> Integer,
        step_count -> Integer,
        executed_step_count -> Integer,
        name -> Text,
        name_folded -> Text,
        tags -> Array<Text>,
        tags_folded -> Text,
        description -> Nullable<Text>,
        description_folded -> Nullable<Text>,
        steps -> Json,
    }
}

table! {
    photo_announcements (photo_id) {
        photo_id -> Uuid,
        announced_at -> Timestamptz,
        condemned -> Bool,
    }
}

joinable!(tokens -> users (user_id));
allow_tables_to_appear_in_same_query!(tokens, users);
