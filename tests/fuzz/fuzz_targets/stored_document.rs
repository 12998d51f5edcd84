//! The steps of an execution as SQLite stores them: for any input there is no panic, and what is read is
//! written as a document that is read as the same steps.
#![no_main]

use libfuzzer_sys::fuzz_target;
use patrol_repository::stored::steps::{pack, read_packed, write};

fuzz_target!(|bytes: &[u8]| {
    let Ok(steps) = read_packed(bytes) else { return };
    let again = read_packed(&pack(write(&steps).expect("steps are JSON")))
        .expect("what is written can be read");
    assert_eq!(again, steps);
});
