//! The query strings of all lists.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| patrol_http::fuzzing::query(text));
