//! The header `Authorization`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| patrol_http::fuzzing::authorization(bytes));
