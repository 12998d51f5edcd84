//! Line ends, line numbers and the limits of a line.

use std::{
    io::{self, BufRead, BufReader, Read},
    sync::Arc,
};

use patrol_data_set::{Lines, MAX_LINE};

use crate::sample::{LengthHasher, lines, refusal, rules, with_ids};

fn task() -> String {
    with_ids(r##"{"kind":"scheduledTask","id":"#1","name":"Round"}"##)
}

/// The line numbers of the records.
fn numbers(text: impl Into<Vec<u8>>) -> Vec<u64> {
    lines(text).map(|read| read.unwrap().0).collect()
}

#[test]
fn blank_lines_are_skipped_but_counted() {
    let task = task();
    assert!(numbers("").is_empty());
    assert!(numbers("\n \t\r\n\n").is_empty());
    assert_eq!(numbers(task.clone()), [1]);
    assert_eq!(numbers(format!("{task}\n{task}\n")), [1, 2]);
    assert_eq!(numbers(format!("\n\r\n  \n{task}\r\n\n  {task}\t\n\n")), [4, 6]);
    assert_eq!(numbers(format!("{task}\r\n{task}\r")), [1, 2]);
}

#[test]
fn a_byte_order_mark_is_allowed_only_at_the_start() {
    let task = task();
    assert_eq!(numbers(format!("\u{feff}{task}\n{task}")), [1, 2]);
    assert_eq!(numbers(format!("\u{feff}\n{task}")), [2]);
    assert!(numbers("\u{feff}").is_empty());
    let mut read = lines(format!("{task}\n\u{feff}{task}"));
    assert!(read.next().unwrap().is_ok());
    let text = read.next().unwrap().unwrap_err();
    assert_eq!(text, "line 2: not a JSON object: expected value at column 1");
}

#[test]
fn the_first_bad_line_is_the_last_item() {
    let task = task();
    let mut read = lines(format!("\n{task}\n\n[]\n{task}\n"));
    assert_eq!(read.next().unwrap().unwrap().0, 2);
    assert_eq!(read.next(), Some(Err("line 4: must be an object".to_owned())));
    assert_eq!(read.next(), None);
    assert_eq!(read.next(), None);
}

#[test]
fn malformed_json_is_reported_with_line_and_column() {
    let task = task();
    for (line, cause) in [
        (&b"{\"kind\":\"user\""[..], "EOF while parsing an object at column 14"),
        (b"{} {}", "trailing characters at column 4"),
        (b"\"\xff\"", "not UTF-8 at byte 1"),
        (b"{\"a\":1,\"\\u0061\":1}", "duplicate member in an object at column 15"),
        (b"{\"a\":1e999}", "number out of range at column 10"),
    ] {
        let mut text = format!("{task}\n").into_bytes();
        text.extend_from_slice(line);
        let read: Result<Vec<_>, _> = lines(text).collect();
        assert_eq!(read.unwrap_err(), format!("line 2: not a JSON object: {cause}"));
    }
}

#[test]
fn nesting_is_limited_by_the_setting() {
    let line = |depth: usize| {
        let nested = "[".repeat(depth) + &"]".repeat(depth);
        let plans = format!(r##"[{{"id":"#2","further":{nested}}}]"##);
        with_ids(&format!(
            r##"{{"kind":"point","id":"#3","locationId":"#1","name":"a","type":"QR","graphicPlans":{plans}}}"##
        ))
    };
    let read = |depth, nesting| {
        let source = io::Cursor::new(line(depth).into_bytes());
        Lines::new(source, rules(), nesting, Arc::new(LengthHasher)).next().unwrap()
    };
    // The line, graphicPlans and its element are three levels.
    for nesting in [4, 64, 127] {
        assert!(read(nesting - 3, nesting).is_ok());
        let text = read(nesting - 2, nesting).unwrap_err();
        assert!(text.starts_with("line 1: not a JSON object: "), "{text}");
    }
    assert!(refusal(&line(62)).contains("nested too deeply"));
}

/// A source with `text`, padded with spaces to `bytes`, and `end`.
fn padded(text: &str, bytes: usize, end: &'static [u8]) -> impl BufRead + Send {
    let spaces = io::repeat(b' ').take(u64::try_from(bytes - text.len()).unwrap());
    let start = io::Cursor::new(text.to_owned().into_bytes());
    BufReader::new(start.chain(spaces).chain(end))
}

#[test]
fn a_line_has_at_most_64_mebibytes() {
    let task = task();
    for end in [&b"\n"[..], b"\r\n"] {
        let good = padded(&task, MAX_LINE, end);
        // The next line is line 2: the line end after a line of the maximum length is read too.
        let good = good.chain(io::Cursor::new(task.clone().into_bytes()));
        let mut read = Lines::new(good, rules(), 64, Arc::new(LengthHasher));
        assert!(matches!(read.next(), Some(Ok((1, _)))));
        assert!(matches!(read.next(), Some(Ok((2, _)))));
        assert!(read.next().is_none());
        let bad = padded(&task, MAX_LINE + 1, end);
        let mut read = Lines::new(bad, rules(), 64, Arc::new(LengthHasher));
        assert_eq!(read.next(), Some(Err("line 1: longer than 64 MiB".to_owned())));
        assert!(read.next().is_none());
    }
    let unended = Lines::new(padded(&task, MAX_LINE, b""), rules(), 64, Arc::new(LengthHasher));
    assert_eq!(unended.map(|read| read.unwrap().0).collect::<Vec<_>>(), [1]);
}

/// A line without end is not collected in memory.
#[test]
fn a_line_without_end_is_an_error() {
    let endless = BufReader::new(io::repeat(b'x'));
    let mut read = Lines::new(endless, rules(), 64, Arc::new(LengthHasher));
    assert_eq!(read.next(), Some(Err("line 1: longer than 64 MiB".to_owned())));
}

struct Failing;

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("the disk is gone"))
    }
}

#[test]
fn a_failing_source_is_an_error_and_not_the_end() {
    let start = io::Cursor::new(format!("{}\n", task()).into_bytes());
    let source = BufReader::new(start.chain(Failing));
    let mut read = Lines::new(source, rules(), 64, Arc::new(LengthHasher));
    assert!(matches!(read.next(), Some(Ok((1, _)))));
    let text = "line 2: cannot be read: the disk is gone";
    assert_eq!(read.next(), Some(Err(text.to_owned())));
    assert_eq!(read.next(), None);
}
