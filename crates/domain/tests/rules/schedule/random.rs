//! Random rules compared with python-dateutil; `expected.py` writes the file and describes it.

use std::collections::BTreeMap;

use patrol_domain::{Timestamp, schedule::Occurrence};

use super::{all, local, schedule};

pub(super) const EXPECTED: &str = include_str!("random.txt");

#[test]
fn five_thousand_random_rules_agree_with_python_dateutil() {
    let end = local("2101-01-01T00:00:00");
    let (mut zone, mut start, mut after) = ("", "", Timestamp::LAST);
    let mut rules = BTreeMap::new();
    let mut wrong = Vec::new();
    for (number, line) in (1..).zip(EXPECTED.lines()) {
        if let Some(header) = line.strip_prefix('@') {
            let words: Vec<_> = header.split(' ').collect();
            [zone, start] = [words[0], words[1]];
            after = Timestamp::from_millis(local(words[2]).seconds() * 1_000).unwrap();
            continue;
        }
        let (rule, hash) = line.split_once(' ').unwrap();
        let schedule = schedule(zone, start, rule);
        let is_shown = |occurrence: &Occurrence| occurrence.start < end;
        let first = all(&schedule).take_while(is_shown).take(20);
        let later = schedule.occurrences(after).take_while(is_shown).take(10);
        let text: String = first.chain(later).map(written).collect();
        if format!("{:08x}", fnv(&text)) != hash {
            wrong.push(format!("line {number}: {start} {zone} {rule}: {text}"));
        }
        let frequency = rule.split(';').find(|part| part.starts_with("FREQ=")).unwrap();
        *rules.entry(frequency).or_insert(0) += 1;
    }
    assert!(wrong.is_empty(), "{} rules differ:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(rules.values().sum::<usize>(), 5_000, "random.txt is not whole");
    assert!(rules.len() == 5 && rules.values().all(|count| *count > 800), "{rules:?}");
}

fn written(occurrence: Occurrence) -> String {
    let Occurrence { local_start, start_at, utc_offset, .. } = occurrence;
    format!("{},{},{};", start_at.millis() / 1_000, local_start.seconds(), utc_offset.0)
}

/// FNV-1a of 32 bits.
fn fnv(text: &str) -> u32 {
    let step = |value: u32, byte: u8| (value ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    text.bytes().fold(0x811c_9dc5, step)
}
