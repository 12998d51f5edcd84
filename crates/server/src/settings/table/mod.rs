//! The table of all settings, by subject.

mod defaults;
mod fields;
mod observation;
mod requests;
mod serving;
mod site;
mod store;

use super::setting::Setting;

/// All settings, in the order of `--help`.
pub(crate) fn settings() -> impl Iterator<Item = &'static Setting> {
    let subjects = [
        store::SETTINGS,
        observation::SETTINGS,
        serving::SETTINGS,
        site::SETTINGS,
        requests::SETTINGS,
        fields::SETTINGS,
    ];
    subjects.into_iter().flatten()
}
