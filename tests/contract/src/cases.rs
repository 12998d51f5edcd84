/// Declares a test for every case of the suite. `$adapter` is an expression that creates an
/// [`Adapter`](crate::Adapter).
#[macro_export]
macro_rules! contract_cases {
    ($adapter:expr) => {
        mod records {
            #[allow(unused_imports)]
            use super::*;

            $crate::contract_cases! { @kinds $adapter;
                Get [Location, Point, TaskExecution, ScheduledTask, User, Token, CheckList, GraphicPlan, Medium] {
                    a_stored_record_is_found,
                    a_missing_record_is_none,
                }
                Create [Location, Point, TaskExecution, ScheduledTask, User, CheckList, GraphicPlan, Medium] {
                    a_new_record_is_stored,
                    a_creation_gets_the_lookup,
                    a_refused_record_leaves_nothing,
                    new_records_are_stored_together_or_not_at_all,
                }
                Update [Location, Point, TaskExecution, ScheduledTask, User, CheckList, CheckListAction] {
                    an_update_is_stored_under_the_next_version,
                    a_change_gets_the_lookup,
                    a_change_that_is_none_or_refused_leaves_nothing,
                    an_update_of_a_missing_record_is_missing,
                    an_update_of_another_version_is_stale,
                    updates_of_one_record_wait_for_each_other,
                }
                Delete [Location, Point, TaskExecution, ScheduledTask, Token, CheckList, CheckListAction, GraphicPlan, Medium] {
                    a_deleted_record_is_missing,
                    a_delete_of_a_missing_record_is_missing,
                    a_delete_of_another_version_is_stale,
                }
            }
        }
        $crate::contract_cases! { @features $adapter;
            task_execution {
                a_record_comes_back_as_it_was_stored,
                an_update_changes_what_lists_find,
                any_record_may_become_any_other,
                a_deleted_record_is_gone,
                a_delete_of_another_version_is_stale,
                a_deleted_record_leaves_nothing_to_find,
                copies_are_made_of_all_originals_and_one_is_answered,
                copies_need_every_original_and_the_path,
                a_copy_loses_an_assignee_who_is_removed_meanwhile,
                a_new_execution_takes_no_id_of_another,
            }
            series {
                a_split_is_given_what_follows_by_id,
                a_split_without_a_series_is_given_no_others,
                a_split_is_stored_under_the_next_versions,
                a_split_is_told_what_exists,
                a_split_of_what_is_not_there_is_missing,
                a_refused_split_changes_nothing,
                a_split_of_another_version_is_stale,
            }
            series_plan {
                a_split_changes_the_plan_and_moves_its_occurrences,
                an_occurrence_that_moves_to_an_earlier_one_gives_way,
                a_split_with_an_outdated_plan_stores_nothing,
                a_split_that_changes_nothing_leaves_the_plan,
                a_split_waits_until_executions_are_compared,
            }
            user {
                a_user_is_found_by_number_or_email_in_any_case,
                a_name_of_two_users_finds_both,
                an_unknown_text_finds_no_user,
                a_change_of_each_member_is_stored,
                a_batch_gets_the_lookup,
                a_change_leaves_the_photo,
                a_changed_user_is_found_by_its_new_names,
                numbers_and_emails_are_unique_in_any_case,
                numbers_and_emails_share_one_space_of_names,
                of_two_users_one_gets_the_number,
                of_a_number_and_an_email_one_is_given,
                of_two_batches_one_gets_the_name,
                changes_of_one_user_wait_for_each_other,
                the_last_active_administrator_stays,
                a_change_of_role_and_status_holds_for_tokens,
                a_batch_answers_in_its_order,
                users_of_a_batch_swap_numbers_and_emails,
                a_batch_changes_all_or_none,
                a_batch_may_hand_over_the_administration,
                what_is_listed_follows_every_change,
                of_two_new_users_one_gets_the_name,
                a_removed_user_leaves_nothing_behind,
                executions_lose_a_removed_assignee_while_they_are_pending,
                a_removal_is_checked_first,
                of_two_removals_one_leaves_an_administrator,
                a_new_user_takes_no_id_of_another,
            }
            scheduled_task {
                any_task_may_become_any_other,
                a_new_task_takes_no_id_of_another,
                tasks_lose_a_removed_assignee,
                executions_keep_the_id_of_a_deleted_task,
                a_check_list_of_a_step_is_not_deleted,
                of_a_deleted_check_list_and_a_step_with_it_one_happens,
            }
            round {
                a_changed_task_is_due_until_nothing_is_left,
                changed_tasks_do_not_hide_due_ones,
                an_imported_task_is_due,
                an_occurrence_is_made_once,
                an_outdated_batch_stores_nothing,
                of_many_batches_one_is_stored,
                unchanged_future_executions_follow_the_plan,
                few_large_executions_follow_at_once,
                executions_are_changed_and_deleted,
                made_occurrences_are_listed,
                the_occurrence_of_an_execution_is_found,
                a_new_execution_with_the_id_of_a_deleted_round_is_none,
                a_deleted_task_takes_its_future_executions_along,
                a_new_task_makes_what_a_deleted_one_left_out,
            }
            photo {
                an_announced_photo_is_given_to_a_user,
                an_old_photo_is_announced_and_condemned,
                the_current_photo_stays_when_it_is_set_again,
                a_photo_for_a_user_that_is_not_there_is_missing,
                a_photo_that_is_not_announced_is_given_to_nobody,
                what_a_user_has_is_not_condemned,
                announcements_come_oldest_first,
                owners_of_photos_come_by_id,
                a_photo_is_either_given_or_condemned,
                a_photo_and_a_change_wait_for_each_other,
            }
            graphic_plan {
                a_picture_is_given_to_a_new_plan_or_condemned,
                a_deleted_plan_leaves_its_picture_condemned,
                plans_with_a_picture_come_after_users,
                plans_are_listed_as_the_model_says,
            }
            media {
                a_file_is_given_to_a_new_medium,
                the_file_of_a_deleted_medium_is_condemned,
                a_medium_that_nothing_names_is_unused,
                an_event_of_a_report_has_the_digests_of_its_media,
                a_medium_is_named_or_deleted,
                media_come_last_among_the_owners,
            }
            report {
                entries_are_stored_with_the_round_and_their_events,
                an_entry_that_is_sent_again_keeps_its_place,
                random_entries_end_as_a_model_says,
                parts_from_two_devices_end_as_each_entry_once,
                a_speed_is_measured_from_the_last_place,
                requests_of_one_round_wait_for_each_other,
                a_deleted_round_takes_its_reports_with_it,
                reports_are_listed_by_their_properties,
                reports_are_exported_and_imported,
            }
            check_list {
                actions_are_replaced_in_their_order,
                an_action_is_added_in_its_order,
                actions_added_at_once_are_all_kept,
                of_two_actions_one_gets_the_id,
                a_change_of_an_action_is_a_version_of_its_list,
                a_read_sees_one_version_of_a_list,
                lists_that_take_much_memory_are_read_in_parts,
                an_edited_action_is_stored_in_its_list,
                a_deleted_action_is_gone_from_its_list,
            }
            token {
                a_token_speaks_for_its_user,
                only_active_users_get_tokens,
                a_user_has_no_more_tokens_than_admitted,
                tokens_created_at_once_count_each_other,
                an_unknown_digest_speaks_for_nobody,
                tokens_are_listed_by_user_and_sorted,
                a_revoked_token_is_gone,
                the_last_use_is_noted,
            }
            location {
                a_location_is_listed_with_its_plans_by_id,
                a_new_plan_changes_what_is_listed,
                a_new_plan_is_another_version,
                a_change_is_listed_and_found_by_its_tags,
                what_is_named_is_not_deleted,
                the_history_of_points_outlives_their_location,
                of_a_deletion_and_a_new_record_one_happens,
            }
            point {
                a_page_that_takes_much_memory_is_read_in_parts,
                a_taken_code_is_never_stored,
                of_many_points_one_gets_a_code,
                updates_of_one_point_wait_for_each_other,
                every_change_is_recorded,
                thousands_of_new_points_are_stored_at_once,
                the_history_outlives_the_point,
                the_history_comes_by_point_and_number,
                the_total_of_the_history_follows_every_change,
                steps_keep_the_id_of_a_deleted_point,
            }
            data_set {
                a_store_with_any_record_is_not_empty,
                what_was_imported_is_exported,
                an_id_that_is_imported_again_has_other_versions,
                an_export_defines_before_it_refers,
                an_import_keeps_no_line_when_one_cannot_be_read,
                an_import_whose_source_panics_keeps_no_line,
                an_import_keeps_no_line_when_one_is_refused,
                a_dry_run_of_import_stores_nothing,
                refused_lines_are_collected,
                missing_references_are_all_named,
                references_may_be_in_the_store_already,
                an_execution_may_name_users_who_are_gone,
                a_plan_of_another_location_is_no_reference,
                a_step_may_name_a_point_that_is_gone,
                taken_values_are_all_named,
                codes_are_taken_to_the_letter,
                names_of_users_are_taken_in_any_case,
                a_number_is_taken_by_an_email_and_the_other_way_round,
                an_import_of_many_records_is_exported_whole,
                a_store_can_be_asked_whether_it_is_ready,
            }
            occurrence {
                imported_occurrences_count_as_made,
                an_occurrence_without_an_execution_is_free,
                a_reused_id_has_no_occurrence_of_the_deleted_execution,
            }
            event {
                a_change_of_an_execution_is_an_event,
                a_split_is_an_event_of_each_execution,
                a_change_of_a_user_is_an_event_without_the_pin,
                a_change_of_a_plan_is_an_event_of_its_location_too,
                a_change_of_a_point_is_an_event,
                a_change_of_an_action_is_an_event_of_its_check_list,
                a_new_and_a_revoked_token_are_events,
                an_import_is_one_event,
                what_changes_nothing_is_no_event,
                pages_of_events_follow_on_each_other,
                events_are_filtered,
                a_page_of_large_events_is_bounded,
                a_record_has_its_own_events,
                only_existing_records_are_stored,
                old_events_are_forgotten,
                the_size_of_the_store_names_its_oldest_and_newest_event,
                a_follower_misses_no_event,
            }
            idempotency {
                a_key_is_free_once,
                of_many_runs_one_gets_the_key,
                another_request_with_the_same_key_is_told_so,
                a_key_that_is_given_up_is_free_again,
                an_answer_is_kept,
                a_change_is_stored_with_its_key,
                a_change_of_every_kind_is_stored_with_its_key,
                a_refused_change_leaves_the_key,
                a_run_that_was_overtaken_changes_nothing,
                an_expired_key_is_free_again,
                expired_keys_are_deleted,
            }
            job {
                one_run_has_the_lease,
                of_many_runs_one_gets_the_lease,
                a_lease_that_has_ended_is_taken_over,
                a_renewed_lease_goes_on,
                a_released_job_is_due_after_its_pause,
            }
            sign_in {
                a_password_that_is_set_ends_all_sessions,
                a_removed_password_takes_sessions_and_invitations_along,
                a_removed_user_leaves_no_password_and_no_session,
                a_changed_password_leaves_the_next_session_only,
                a_password_is_changed_only_in_a_session_and_with_the_verified_one,
                a_password_is_not_changed_after_too_many_failures,
                a_new_and_a_removed_password_are_events,
                the_last_sign_ins_come_in_order,
                a_session_is_found_by_its_digest,
                a_session_opens_only_with_the_verified_password,
                a_session_opens_only_after_few_failures,
                the_oldest_sessions_make_room,
                a_session_is_last_seen_at_the_latest_time,
                a_session_ends_for_its_user_alone,
                all_sessions_but_one_end,
                a_change_of_role_or_status_ends_the_sessions,
                expired_sessions_are_deleted,
                an_invitation_is_found_by_its_digest,
                the_next_invitation_makes_the_earlier_ones_void,
                an_invitation_needs_an_active_user,
                an_accepted_invitation_sets_the_password_and_opens_a_session,
                an_invitation_that_is_not_open_changes_nothing,
                of_many_uses_of_an_invitation_one_succeeds,
                ended_invitations_are_deleted,
                failures_of_a_name_and_of_an_address_are_counted,
                failures_at_once_count_each_other,
                failures_that_no_longer_count_are_deleted,
            }
            figures {
                figures_are_those_of_each_round,
                too_many_groups_are_refused,
            }
            list {
                executions_are_listed_as_the_model_says,
                late_and_missed_rounds_are_those_of_the_rules,
                locations_are_listed_as_the_model_says,
                users_are_listed_as_the_model_says,
                check_lists_are_listed_as_the_model_says,
                points_are_listed_as_the_model_says,
                scheduled_tasks_are_listed_as_the_model_says,
                the_history_is_listed_as_the_model_says,
                pages_of_executions_follow_on_each_other,
                pages_of_locations_follow_on_each_other,
                pages_of_users_follow_on_each_other,
                pages_of_check_lists_follow_on_each_other,
                pages_of_points_follow_on_each_other,
                pages_of_scheduled_tasks_follow_on_each_other,
                pages_of_the_history_follow_on_each_other,
                nulls_come_last_in_both_directions,
                text_is_compared_as_unicode_lower_case,
                characters_of_patterns_are_plain,
                a_search_looks_into_each_field_by_itself,
                the_duration_of_what_is_running_grows,
                a_limit_of_zero_gives_the_total_alone,
                a_total_follows_every_change,
            }
        }
    };
    // Each case of a group runs for each kind of record in its list.
    (@kinds $adapter:expr; $($group:ident [$($kind:ident),+] $cases:tt)+) => {$(
        #[allow(non_snake_case)]
        mod $group {
            use super::*;

            $($crate::contract_cases! { @kind $adapter; $kind $cases })+
        }
    )+};
    (@kind $adapter:expr; $kind:ident { $($case:ident),+ $(,)? }) => {
        #[allow(non_snake_case)]
        mod $kind {
            use super::*;

            $(
                #[::tokio::test]
                async fn $case() {
                    $crate::records::$case::<_, $crate::records::$kind>(&$adapter).await;
                }
            )+
        }
    };
    (@features $adapter:expr; $($feature:ident { $($case:ident),+ $(,)? })+) => {$(
        mod $feature {
            #[allow(unused_imports)]
            use super::*;

            $(
                #[::tokio::test]
                async fn $case() {
                    $crate::$feature::$case(&$adapter).await;
                }
            )+
        }
    )+};
}

/// Declares a test for every case of the suite of photos. `$place` is an expression that creates a
/// [`Place`](crate::photos::Place).
#[macro_export]
macro_rules! photos_cases {
    ($place:expr) => {
        $crate::contract_cases! { @features $place;
            photos {
                a_photo_comes_back_as_it_was_put,
                a_photo_that_is_not_there_is_none,
                a_deleted_photo_is_gone,
                photos_that_change_at_once_are_each_as_they_were_left,
                all_tell_when_they_were_stored,
                a_file_is_read_in_parts,
                a_file_takes_the_place_of_another,
                a_file_that_is_dropped_leaves_nothing,
            }
        }
    };
}

/// Declares a test for every case of the suite of authentication. `$gate` is an expression that
/// creates a [`Gate`](crate::authentication::Gate).
#[macro_export]
macro_rules! authentication_cases {
    ($gate:expr) => {
        $crate::contract_cases! { @features $gate;
            authentication {
                a_credential_speaks_for_its_user,
                a_malformed_credential_is_refused,
                an_unknown_credential_is_refused,
                an_expired_credential_is_refused,
                a_user_who_is_not_active_is_refused,
                a_change_of_role_holds_within_5_s,
                a_change_of_status_holds_within_5_s,
                a_revocation_holds_within_5_s,
                an_outage_is_not_a_refusal,
            }
        }
    };
}
