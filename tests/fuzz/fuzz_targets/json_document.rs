//! For any input there is no panic, only JSON is accepted, and written output is read and written
//! again as the same text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use patrol_record::json::document::parse;

const NESTING: usize = 64;

fuzz_target!(|bytes: &[u8]| {
    let Ok(document) = parse(bytes, NESTING) else { return };
    assert!(serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok(), "this is no JSON");
    let text = document.to_text();
    let again = parse(text.as_bytes(), NESTING).expect("what is written can be read");
    // A whole float is read as an integer, so the text is compared.
    assert_eq!(again.to_text(), text);
});
