//! The tables, as `migrations/sqlite` makes them.

use diesel::{allow_tables_to_appear_in_same_query, joinable, table};

table! {
    locations (row) {
        row -> BigInt,
        id -> Binary,
        name -> Text,
        name_folded -> Text,
        address -> Text,
        address_folded -> Text,
        latitude -> Nullable<Double>,
        longitude -> Nullable<Double>,
        tags -> Text,
        tags_folded -> Text,
    }
}

table! {
    location_tags (value, row) {
        value -> Text,
        row -> BigInt,
    }
}

table! {
    graphic_plans (row) {
        row -> BigInt,
        id -> Binary,
        location_id -> Binary,
        name -> Text,
    }
}

table! {
    users (row) {
        row -> BigInt,
        id -> Binary,
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
        photo_id -> Nullable<Binary>,
        tags -> Text,
        linked -> Bool,
    }
}

table! {
    user_locations (user_row, position) {
        user_row -> BigInt,
        position -> Integer,
        location_id -> Binary,
    }
}

table! {
    passwords (user_row) {
        user_row -> BigInt,
        hash -> Text,
    }
}

table! {
    photo_announcements (photo_id) {
        photo_id -> Binary,
        announced_at -> BigInt,
        condemned -> Bool,
    }
}

table! {
    tokens (row) {
        row -> BigInt,
        id -> Binary,
        digest -> Binary,
        user_id -> Binary,
        name -> Text,
        name_folded -> Text,
        created_at -> BigInt,
        expires_at -> Nullable<BigInt>,
        last_used_at -> Nullable<BigInt>,
    }
}

table! {
    points (row) {
        row -> BigInt,
        id -> Binary,
        location_id -> Binary,
        name -> Text,
        kind -> SmallInt,
        latitude -> Nullable<Double>,
        longitude -> Nullable<Double>,
        graphic_plans -> Text,
        rfid_code -> Nullable<Text>,
        qr_code -> Nullable<Text>,
        tags -> Text,
    }
}

table! {
    point_history (history_id) {
        history_id -> BigInt,
        operation -> SmallInt,
        recorded_at -> BigInt,
        id -> Binary,
        location_id -> Binary,
        name -> Text,
        name_folded -> Text,
        kind -> SmallInt,
        latitude -> Nullable<Double>,
        longitude -> Nullable<Double>,
        graphic_plans -> Text,
        rfid_code -> Nullable<Text>,
        rfid_code_folded -> Nullable<Text>,
        qr_code -> Nullable<Text>,
        qr_code_folded -> Nullable<Text>,
        tags -> Text,
        tags_folded -> Text,
    }
}

table! {
    point_history_tags (value, row) {
        value -> Text,
        row -> BigInt,
    }
}

table! {
    check_lists (row) {
        row -> BigInt,
        id -> Binary,
        name -> Text,
    }
}

table! {
    check_list_actions (row) {
        row -> BigInt,
        id -> Binary,
        check_list_row -> BigInt,
        name -> Text,
        kind -> SmallInt,
        place -> Integer,
        required -> Bool,
        min_value -> Nullable<Double>,
        max_value -> Nullable<Double>,
    }
}

table! {
    scheduled_tasks (row) {
        row -> BigInt,
        id -> Binary,
        name -> Text,
        description -> Nullable<Text>,
    }
}

table! {
    task_executions (row) {
        row -> BigInt,
        id -> Binary,
        version -> BigInt,
        scheduled_task_id -> Binary,
        series_id -> Nullable<Binary>,
        location_id -> Binary,
        performer_id -> Nullable<Binary>,
        assignee_ids -> Binary,
        point_ids -> Binary,
        state -> SmallInt,
        status -> Nullable<SmallInt>,
        priority -> SmallInt,
        published -> Bool,
        order_steps_required -> Bool,
        strict_time_required -> Bool,
        deadlined -> Bool,
        edited -> Bool,
        start_at -> BigInt,
        end_at -> BigInt,
        started_at -> Nullable<BigInt>,
        ended_at -> Nullable<BigInt>,
        error_count -> Integer,
        warning_count -> Integer,
        step_count -> Integer,
        executed_step_count -> Integer,
        name -> Text,
        name_folded -> Text,
        tags -> Text,
        tags_folded -> Text,
        description -> Nullable<Text>,
        description_folded -> Nullable<Text>,
    }
}

table! {
    task_execution_steps (row) {
        row -> BigInt,
        document -> Binary,
    }
}

table! {
    task_execution_assignees (value, row) {
        value -> Binary,
        row -> BigInt,
    }
}

table! {
    task_execution_tags (value, row) {
        value -> Text,
        row -> BigInt,
    }
}

table! {
    task_execution_points (value, row) {
        value -> Binary,
        row -> BigInt,
    }
}

table! {
    revision (aggregate) {
        aggregate -> Text,
        changes -> BigInt,
    }
}

joinable!(task_execution_steps -> task_executions (row));
allow_tables_to_appear_in_same_query!(task_executions, task_execution_steps);
allow_tables_to_appear_in_same_query!(tokens, users);
