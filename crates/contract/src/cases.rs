/// Makes a test of every case of the suite. `$adapter` is an expression that makes an
/// [`Adapter`](crate::Adapter).
#[macro_export]
macro_rules! contract_cases {
    ($adapter:expr) => {
        $crate::contract_cases! { @features $adapter;
            task_execution {
                a_record_comes_back_as_it_was_stored,
                what_is_not_there_is_none,
                an_update_is_stored_under_the_next_version,
                an_update_is_told_what_exists,
                an_update_that_changes_nothing_leaves_the_version,
                an_update_of_what_is_not_there_is_missing,
                an_update_of_another_version_is_stale,
                a_refused_update_changes_nothing,
                updates_of_one_record_wait_for_each_other,
                an_update_changes_what_lists_find,
                any_record_may_become_any_other,
                a_deleted_record_is_gone,
                a_delete_of_another_version_is_stale,
                a_deleted_record_leaves_nothing_to_find,
                copies_are_made_of_all_originals_and_one_is_answered,
                copies_need_every_original_and_the_path,
            }
            series {
                a_split_is_given_what_follows_by_id,
                a_split_without_a_series_is_given_no_others,
                a_split_is_stored_under_the_next_versions,
                a_split_is_told_what_exists,
                a_split_of_what_is_not_there_is_missing,
                a_refused_split_changes_nothing,
            }
            user {
                a_user_comes_back_as_it_was_stored,
                a_user_is_found_by_number_or_email_in_any_case,
                the_number_goes_before_the_email,
                a_user_that_is_not_there_is_none,
            }
            token {
                a_token_speaks_for_its_user,
                only_active_users_get_tokens,
                an_unknown_digest_speaks_for_nobody,
                tokens_are_listed_by_user_and_sorted,
                a_revoked_token_is_gone,
                the_last_use_is_noted,
            }
            data_set {
                a_store_with_any_record_is_not_empty,
                what_was_imported_is_exported,
                an_id_that_is_imported_again_has_other_versions,
                an_export_defines_before_it_refers,
                an_import_keeps_no_line_when_one_cannot_be_read,
                an_import_keeps_no_line_when_one_is_refused,
                missing_references_are_all_named,
                references_may_be_in_the_store_already,
                a_plan_of_another_location_is_no_reference,
                a_step_may_name_a_point_that_is_gone,
                taken_values_are_all_named,
                codes_are_taken_to_the_letter,
                names_of_users_are_taken_in_any_case,
                an_import_of_many_records_is_exported_whole,
                a_store_can_be_asked_whether_it_is_ready,
            }
            list {
                lists_answer_as_the_model_does,
                pages_follow_on_each_other,
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
