//! The texts of the pages, one file for each language.

use std::fmt;

use actix_web::http::header::{AcceptLanguage, Header, Preference};
use toml::{Table, Value};

/// The files of all languages, with their BCP 47 tags. The first is the default.
const FILES: [(&str, &str); 2] = [("en", include_str!("en.toml")), ("ru", include_str!("ru.toml"))];

/// The BCP 47 tags of all languages. The first is the default.
pub(crate) fn codes() -> impl Iterator<Item = &'static str> {
    FILES.into_iter().map(|(code, _)| code)
}

/// A text. `{}` in it stands for a value.
#[derive(Debug)]
pub(crate) struct Text(String);

impl Text {
    /// The text with this value.
    pub(crate) fn with(&self, value: &(impl fmt::Display + ?Sized)) -> String {
        self.0.replace("{}", &value.to_string())
    }

    /// What stands before and after the value.
    pub(crate) fn around(&self) -> (&str, &str) {
        self.0.split_once("{}").unwrap_or((&self.0, ""))
    }

    /// The text with these values, each in its place.
    pub(crate) fn with_each<V: fmt::Display>(&self, values: &[V]) -> String {
        let mut parts = self.0.split("{}");
        let mut text = parts.next().unwrap_or_default().to_owned();
        for (at, part) in parts.enumerate() {
            text.push_str(&values.get(at).map(ToString::to_string).unwrap_or_default());
            text.push_str(part);
        }
        text
    }
}

impl fmt::Display for Text {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// Declares the texts that every language has. They are read into an array, and are members only then: one
/// function that could fail at each of them takes the compiler minutes.
macro_rules! texts {
    ($($name:ident)*) => {
        /// The texts of one language.
        #[derive(Debug)]
        pub(crate) struct Texts {
            $(pub(crate) $name: Text,)*
        }

        impl Texts {
            /// Reads a file of texts, which has these and no others.
            fn read(file: &str) -> Result<Self, String> {
                let [$($name),*] = read(file, &NAMES)?;
                Ok(Self { $($name),* })
            }
        }

        const NAMES: [&str; [$(stringify!($name)),*].len()] = [$(stringify!($name)),*];
    };
}

texts! {
    language language_choice skip navigation sign_out copy copied cancel save search yes no never next
    previous none_found show_all sign_in sign_in_button name_or_email password sign_in_failed no_password tokens
    tokens_about tokens_mine tokens_all no_tokens name user created expires last_used revoke_name revoke
    revoke_question revoke_about generate_heading generate token_name_help days new_token
    new_token_about try_it token_sent_before token_name_fault token_too_many token_expires_fault people
    person_name no_expiry unused no_sign_in my_rounds import_button choose_several choose_with_key none_to_choose
    people_about role role_admin role_manager role_employee may_sign_in last_sign_in invite_name
    sign_name_out remove_sign_in_of invitation_link invitation_about invite_inactive invite_without_name
    signed_out_done removed_done set_password set_password_about new_password repeat_new_password
    current_password change_password password_changed password_length password_common password_personal
    password_differs password_wrong invitation_void invitation_void_about sessions sessions_about since
    last_seen address browser this_session sign_out_session sign_out_others others_done unknown_browser
    labels_of labels_about no_labels no_labels_chosen label_too_long print print_about error_forbidden
    error_forbidden_about error_not_found error_not_found_about error_too_many error_too_many_about
    seconds minutes error_unavailable error_unavailable_about error_other error_other_about to_start
    invite remove_sign_in time_zone choose times_in weekdays months list_pages of_total rounds plans
    check_lists figures record edit edit_name delete delete_question cannot_undo delete_person_about
    delete_plan_about delete_point_about remove remove_name up move_up down move_down form_refused
    changed_meanwhile changed_to in_use holder_points holder_graphic_plans holder_task_executions
    holder_scheduled_tasks holder_users fault_required fault_null fault_choice fault_length
    fault_elements fault_line fault_range from_to fault_bounds fault_email fault_language
    fault_characters fault_unique fault_reference fault_period fault_image fault_media fault_rule
    fault_integer fault_number fault_time fault_date locations new_location no_locations tags one_a_line
    coordinates latitude latitude_hint longitude longitude_hint points new_point no_points qr_code
    labels not_offered save_question back_to_form plan_new plan_none plan_only_of location plan_offer_points priority
    plan_next_start plan_none_next plan_by_hand plan_off plan_everybody description plan_options
    people_hint plan_in_order plan_in_time plan_deadlined plan_published plan_enabled steps
    plan_step plan_no_steps add_step plan_add_points point step_name step_name_hint check_list actions
    add_action action_name kind action_boolean action_number action_text action_media action_required
    required minimum maximum bound_hint at_least at_most plan_schedule plan_first_start
    plan_first_start_hint plan_duration plan_duration_hint plan_repeats plan_daily plan_weekly
    plan_monthly plan_yearly plan_rule_by_hand plan_on_days plan_on_days_hint plan_monday plan_tuesday
    plan_wednesday plan_thursday plan_friday plan_saturday plan_sunday plan_rule plan_rule_hint
    plan_ends plan_on plan_on_hint plan_after plan_after_hint plan_count_fault plan_exceptions
    plan_exceptions_hint plan_additions plan_additions_hint plan_pauses plan_pauses_hint plan_preview
    plan_next_rounds plan_no_rounds plan_local_start plan_offset plan_remark plan_moved plan_once
    plan_by_rule plan_every_day plan_every_week plan_every_month plan_every_year plan_ends_on
    plan_ends_after plan_dry_run_about plan_created plan_changed plan_deleted plan_kept plan_more
    check_list_new check_list_none check_list_no_actions place_rfid_code place_qr_code_hint
    place_kind_hint place_nfc place_rfid place_ble place_virtual place_plan place_plans place_no_plans
    place_new_plan place_new_plan_of place_on_plans place_add place_from_left place_from_top
    place_share_hint place_choose place_choose_on place_point_on place_about place_by_numbers
    place_pixels file place_picture_hint place_no_picture place_no_points place_number person_new
    person_first_name person_middle_name person_last_name employee_number person_number_hint email
    person_phone person_status person_status_hint person_active person_inactive person_language_hint
    person_pin person_pin_hint person_remove_pin person_photo person_photo_of person_remove_photo
    person_last_admin fault_file error_too_large error_too_large_about import import_about import_kind
    import_columns import_check import_sent_before imported import_refused import_ready import_wrong
    import_line import_column import_fault import_made import_rfid_code import_whole_line state_planned
    state_in_progress state_completed state_late state_missed state_flagged flagged_count new_round
    round date previous_day today next_day filter state person only_flagged all_values numbers_of_day
    planned_start started ended flags no_rounds no_rounds_found more_people not_live new_rows
    one_new_row rows_changed round_new_about round_edit_following round_edit_following_name
    round_following_about round_copy_name round_copy_about round_copied round_is_completed
    round_not_allowed plan round_by_hand round_plan_deleted round_start round_end round_end_hint
    round_ended round_performer round_person_unknown round_priority_default round_priority_minor
    round_priority_normal round_priority_major round_priority_critical round_published
    round_published_hint round_series round_in_series round_rules round_in_order round_in_time
    round_deadlined round_edited round_no_steps round_location_hint round_point_deleted
    round_first_entry round_last_entry round_performed_as round_no_result round_bounds round_success
    round_warning round_error round_photo round_video round_sound round_document round_timeline
    round_timeline_empty round_timeline_more round_device_time round_program round_entry_start round_entry_start_by
    round_entry_scan round_entry_no_code round_entry_result round_entry_finish round_entry_note
    round_entry_note_at round_entry_complete round_step_unknown round_action_unknown round_by_rfid
    round_by_nfc round_by_ble round_by_virtual round_event_created round_event_updated round_event_other
    round_refused_state round_refused_reference round_refused_value round_flag_mismatch
    round_flag_missing round_flag_distance round_flag_speed round_flag_order round_flag_early
    round_flag_late round_flag_ahead round_flag_backwards round_flag_late_upload round_map round_north
    round_metres round_kilometres round_map_empty round_map_list round_map_way round_map_page round_no_place from to
    group_by group_none group_day group_week group_month show download_csv figures_period figures_chart figures_no_chart
    figures_refused figures_period_refused figures_too_many_groups figures_deleted figures_without
    group_all figures_total on_time steps_done errors warnings minutes_on_average bound_fault
    fault_other_location points_none points_no_location
    board_no_day error_value error_value_about error_form_about sign_in_lost
    import_element import_empty import_too_large import_too_many_lines import_not_utf8
    import_unclosed_quote import_unknown_column import_missing_column import_repeated_column
    import_cells import_one_of import_unique import_reference import_number import_id import_json
}

/// The texts with these names, in their order.
fn read<const N: usize>(file: &str, names: &[&str; N]) -> Result<[Text; N], String> {
    let mut table: Table = file.parse().map_err(|error| format!("{error}"))?;
    let mut texts = [const { Text(String::new()) }; N];
    for (text, name) in texts.iter_mut().zip(names) {
        match table.remove(*name) {
            Some(Value::String(found)) => *text = Text(found),
            _ => return Err(format!("{name} is missing")),
        }
    }
    table.keys().next().map_or(Ok(texts), |name| Err(format!("{name} is unknown")))
}

/// A language of the site.
#[derive(Debug)]
pub(crate) struct Language {
    /// The BCP 47 tag.
    pub(crate) code: &'static str,
    pub(crate) texts: Texts,
}

/// The texts of a language are incomplete.
#[derive(Debug)]
pub struct TextsError {
    language: &'static str,
    cause: String,
}

impl fmt::Display for TextsError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "the texts of the language {}: {}", self.language, self.cause)
    }
}

/// All languages, at least one.
#[derive(Debug)]
pub(crate) struct Languages {
    default: Language,
    others: Vec<Language>,
}

impl Languages {
    /// Reads the texts of all languages.
    ///
    /// # Errors
    /// When a text is missing or unknown.
    pub(crate) fn load() -> Result<Self, TextsError> {
        let load = |(code, file): (&'static str, &str)| match Texts::read(file) {
            Ok(texts) => Ok(Language { code, texts }),
            Err(cause) => Err(TextsError { language: code, cause }),
        };
        let [default, others @ ..] = FILES;
        Ok(Self {
            default: load(default)?,
            others: others.into_iter().map(load).collect::<Result<_, _>>()?,
        })
    }

    /// The language of those who prefer no other.
    pub(crate) const fn default(&self) -> &Language {
        &self.default
    }

    /// All languages; the default is the first.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Language> {
        std::iter::once(&self.default).chain(&self.others)
    }

    /// The language with this tag.
    pub(crate) fn named(&self, code: &str) -> Option<&Language> {
        self.all().find(|language| language.code == code)
    }

    /// The language that a browser prefers, or the default.
    pub(crate) fn preferred(&self, accept: &impl actix_web::HttpMessage) -> &Language {
        let ranked = AcceptLanguage::parse(accept).map(|accept| accept.ranked());
        let named = |preference: Preference<_>| match preference {
            Preference::Any => Some(&self.default),
            Preference::Specific(tag) => {
                let tag: &dyn fmt::Display = &tag;
                let tag = tag.to_string().to_ascii_lowercase();
                self.named(tag.split('-').next().unwrap_or_default())
            }
        };
        ranked.into_iter().flatten().find_map(named).unwrap_or(&self.default)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The names that one set has and the other has not.
    fn missing<'a>(names: &BTreeSet<&'a str>, among: &BTreeSet<&str>) -> Vec<&'a str> {
        names.iter().copied().filter(|name| !among.contains(name)).collect()
    }

    #[test]
    fn every_language_has_every_text_with_the_same_values() {
        let declared: BTreeSet<_> = NAMES.iter().copied().collect();
        let read = |file: &str| toml::from_str::<toml::Table>(file).unwrap();
        let english = read(FILES[0].1);
        for (code, file) in FILES {
            let table = read(file);
            let names: BTreeSet<_> = table.keys().map(String::as_str).collect();
            assert_eq!(missing(&declared, &names), [""; 0], "missing in {code}");
            assert_eq!(missing(&names, &declared), [""; 0], "unknown in {code}");
            for (name, text) in &table {
                let values = |text: &toml::Value| text.as_str().unwrap().matches("{}").count();
                assert_eq!(values(text), values(&english[name]), "{code}: {name}");
            }
        }
        assert!(Languages::load().is_ok());
    }

    #[test]
    fn the_language_of_the_browser_is_preferred() {
        let languages = Languages::load().unwrap();
        let code = |accept: &str| {
            let request = actix_web::test::TestRequest::default()
                .insert_header(("Accept-Language", accept))
                .to_request();
            languages.preferred(&request).code
        };
        for (accept, expected) in [
            ("ru", "ru"),
            ("ru-RU,ru;q=0.9,en;q=0.8", "ru"),
            ("en;q=0.5,ru;q=0.9", "ru"),
            ("de,ru;q=0.3", "ru"),
            ("de", "en"),
            ("*", "en"),
            ("", "en"),
            ("\u{fffd};;q", "en"),
        ] {
            assert_eq!(code(accept), expected, "{accept}");
        }
    }
}
