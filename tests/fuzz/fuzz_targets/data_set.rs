//! For any input there is no panic, and an accepted record is written as a line that is read as the
//! same record.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use patrol_data_set::{Lines, write_record};
use patrol_domain::{Limits, Rules, access::PasswordHasher, data_set::Record};

const NESTING: usize = 64;

/// Returns an empty hash, because the real hash is slow.
struct Unhashed;

impl PasswordHasher for Unhashed {
    fn hash(&self, _: &str) -> Result<String, String> {
        Ok(String::new())
    }

    fn verify(&self, _: &str, _: &str) -> Result<bool, String> {
        Err("an import verifies no password".to_owned())
    }
}

fn read(bytes: &[u8]) -> impl Iterator<Item = Result<(u64, Record), String>> {
    let rules = Rules { limits: Limits::default(), is_email: |text| text.contains('@') };
    Lines::new(bytes, rules, NESTING, Arc::new(Unhashed))
}

fuzz_target!(|bytes: &[u8]| {
    for (_, record) in read(bytes).map_while(Result::ok) {
        let mut line = Vec::new();
        write_record(&record, &mut line).expect("memory can be written");
        let (_, again) = read(&line).next().expect("a line").expect("what is written can be read");
        let mut twice = Vec::new();
        write_record(&again, &mut twice).expect("memory can be written");
        assert!(line == twice, "{}", String::from_utf8_lossy(&line));
    }
});
