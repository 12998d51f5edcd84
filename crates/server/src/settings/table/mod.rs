//! The table of all settings, by subject.

mod fields;
mod observation;
mod requests;
mod serving;
mod site;
mod store;

use std::time::Duration;

use super::setting::Setting;

const MIB: usize = 1 << 20;
const HOUR: Duration = Duration::from_secs(3600);
const CENTURY: Duration = Duration::from_secs(36_500 * 24 * 3600);

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

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
