//! Responses in a form that does not depend on the server.

use std::{
    collections::{BTreeSet, HashMap},
    ops::RangeInclusive,
};

use patrol_tests::Answer;

/// A request and its answer.
pub(super) struct Recorded {
    request: String,
    answer: Answer,
}

impl Recorded {
    pub(super) fn new(request: String, answer: Answer) -> Self {
        Self { request, answer }
    }

    /// The request, the status, the headers and the body, with names instead of generated values.
    pub(super) fn told(&self, known: &mut Known) -> String {
        let Answer { status, headers, body } = &self.answer;
        let mut told = format!("{}\n{status}\n", known.text(&self.request));
        let headers: BTreeSet<String> = headers
            .iter()
            .filter(|(name, _)| !OWN.contains(&name.as_str()))
            .map(|(name, value)| format!("{name}: {}", value.to_str().expect("ASCII")))
            .collect();
        for header in headers {
            // A version is an ascending number.
            let is_version = header.starts_with("etag: ") && header.len() < "etag: ".len() + 36;
            told += &if is_version { known.named("etag", &header) } else { known.text(&header) };
            told.push('\n');
        }
        match std::str::from_utf8(body) {
            Ok(text) => told += &known.text(text),
            Err(_) => told += &format!("{body:?}"),
        }
        told
    }
}

/// Headers that depend on the time of the request, or on whether the body of a refused request had
/// arrived.
const OWN: [&str; 4] = ["connection", "content-length", "date", "x-request-id"];

/// Values that are the same on all servers, and the names of generated values.
pub(super) struct Known {
    /// The ids and the times of the records.
    given: BTreeSet<String>,
    /// The start and the end of the script, by the server's clock.
    span: RangeInclusive<String>,
    names: HashMap<String, String>,
}

const ID: &str = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
const TIME: &str = "0000-00-00T00:00:00.000Z";
/// Members with a generated number, and the kind of number.
const NUMBERED: [(&str, &str); 3] =
    [("\"historyId\":", "history"), ("\"position\":", "position"), ("\"next\":", "position")];
/// For an execution in progress this is the time until now.
const EXECUTED: &str = "\"totalExecutedTimeInMillis\":";
const UNDER_WAY: &str = "\"state\":\"IN_PROGRESS\"";
/// The last use of a token. It is stored every five seconds, to the minute, so that one server may
/// have stored it already and the other not.
const USED: &str = "\"lastUsedAt\":";
const TOKEN: &str = "ptl_";

impl Known {
    /// The values in these records, and the time span of the script.
    pub(super) fn of(records: &str, span: RangeInclusive<String>) -> Self {
        let mut known = Self { given: BTreeSet::new(), span, names: HashMap::new() };
        let mut rest = records;
        while let Some(c) = rest.chars().next() {
            let taken = taken(rest, ID).or_else(|| taken(rest, TIME));
            if let Some(text) = taken {
                known.given.insert(text.to_owned());
            }
            rest = &rest[taken.map_or(c.len_utf8(), str::len)..];
        }
        known
    }

    /// The text with names.
    pub(super) fn text(&mut self, text: &str) -> String {
        let (mut named, mut rest) = (String::new(), text);
        while let Some(c) = rest.chars().next() {
            let length = if let Some(id) = taken(rest, ID) {
                named +=
                    &if self.given.contains(id) { id.to_owned() } else { self.named("id", id) };
                id.len()
            } else if let Some(time) = taken(rest, TIME) {
                named += if self.is_new(time) { "now" } else { time };
                time.len()
            } else if let Some((member, kind)) =
                NUMBERED.into_iter().find(|(member, _)| rest.starts_with(member))
            {
                let after = rest[member.len()..].chars();
                let digits: String = after.take_while(char::is_ascii_digit).collect();
                named += member;
                named += &self.named(kind, &digits);
                member.len() + digits.len()
            } else if let Some(after) = rest.strip_prefix(EXECUTED)
                && is_under_way(&named)
            {
                named += EXECUTED;
                named += "until now";
                EXECUTED.len() + after.chars().take_while(char::is_ascii_digit).count()
            } else if let Some(after) = rest.strip_prefix(USED) {
                named += USED;
                named += "null or lately";
                USED.len() + after.find([',', '}']).unwrap_or(after.len())
            } else if let Some(after) = rest.strip_prefix(TOKEN) {
                let secret = after.chars().take_while(char::is_ascii_alphanumeric).count();
                named += "token";
                TOKEN.len() + secret
            } else {
                named.push(c);
                c.len_utf8()
            };
            rest = &rest[length..];
        }
        named
    }

    /// Whether a time is not in the records, and within the time span of the script.
    fn is_new(&self, time: &str) -> bool {
        !self.given.contains(time) && self.span.contains(&time.to_owned())
    }

    /// The name of a generated value: the same for the same value.
    fn named(&mut self, kind: &str, text: &str) -> String {
        let next = self.names.len();
        let key = format!("{kind} {text}");
        self.names.entry(key).or_insert_with(|| format!("<{kind} {next}>")).clone()
    }
}

/// Whether the record that `text` ends in is in progress.
fn is_under_way(text: &str) -> bool {
    text.rfind("\"state\":").is_some_and(|at| text[at..].starts_with(UNDER_WAY))
}

/// The start of `text`, if it has this form: `0` is a digit, `x` a hexadecimal one.
fn taken<'t>(text: &'t str, form: &str) -> Option<&'t str> {
    let start = text.get(..form.len())?;
    let fits = start.bytes().zip(form.bytes()).all(|(byte, form)| match form {
        b'0' => byte.is_ascii_digit(),
        b'x' => byte.is_ascii_hexdigit(),
        other => byte == other,
    });
    fits.then_some(start)
}
