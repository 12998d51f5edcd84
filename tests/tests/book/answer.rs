//! Compares what commands printed with the answer that a page shows.

/// Stands for any text in an answer.
const ANYTHING: char = '…';

/// Checks that the output is the answer shown.
///
/// Trailing spaces and the line ends of HTTP do not count; with `json`, no white space outside
/// strings counts.
///
/// # Errors
/// The first part of the answer that the output lacks.
pub(crate) fn compare(shown: &str, output: &str, json: bool) -> Result<(), String> {
    let plain = if json { without_spaces } else { trimmed };
    let (shown, output) = (plain(shown), plain(output));
    let mut parts = shown.split(ANYTHING);
    let first = parts.next().unwrap_or_default();
    let mut rest = output.strip_prefix(first).ok_or_else(|| lacking(first, &output))?;
    let mut parts: Vec<_> = parts.collect();
    let Some(last) = parts.pop() else {
        return if rest.is_empty() { Ok(()) } else { Err(format!("not shown: {rest}")) };
    };
    for part in parts {
        let (_, after) = rest.split_once(part).ok_or_else(|| lacking(part, rest))?;
        rest = after;
    }
    if rest.ends_with(last) { Ok(()) } else { Err(lacking(last, rest)) }
}

/// Whether the output has an error of the API in it.
pub(crate) fn has_error(output: &str) -> bool {
    let body = ["\"message\":\"", "\"code\":\"", "\"timestamp\":\""];
    body.iter().all(|member| output.contains(member))
        || output.contains("HTTP/1.1 4")
        || output.contains("HTTP/1.1 5")
}

fn lacking(part: &str, output: &str) -> String {
    format!("this part of the answer:\n{part}\nis not where it should be in:\n{output}")
}

fn trimmed(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

fn without_spaces(text: &str) -> String {
    let (mut in_string, mut escaped) = (false, false);
    let kept = text.chars().filter(|&c| {
        let keep = in_string || !c.is_whitespace();
        match c {
            '"' if !escaped => in_string = !in_string,
            _ => {}
        }
        escaped = in_string && c == '\\' && !escaped;
        keep
    });
    kept.collect()
}

#[cfg(test)]
mod tests {
    use super::{compare, has_error};

    #[test]
    fn an_answer_is_exact_but_for_what_it_leaves_open() {
        let same = |shown, output| compare(shown, output, false).is_ok();
        assert!(same("a\nb\n", "a \r\nb"));
        assert!(!same("a\nb\n", "a\nb\nc"));
        assert!(!same("b", "a\nb"));
        assert!(same(
            "HTTP/1.1 200 OK\n…\netag: …\n",
            "HTTP/1.1 200 OK\nx: y\nz: 1\netag: \"2\"\n"
        ));
        assert!(!same("HTTP/1.1 200 OK\n…\netag: …\n", "HTTP/1.1 200 OK\nx: y\n"));
        assert!(!same("a…b", "ac"));
        assert!(!same("ab…b", "ab"), "parts do not overlap");
    }

    #[test]
    fn white_space_between_the_tokens_of_json_does_not_count() {
        let same = |shown, output| compare(shown, output, true).is_ok();
        assert!(same("{ \"a\": [1,\n 2] }", "{\"a\":[1,2]}"));
        assert!(!same("{ \"a\": \"b c\" }", "{\"a\":\"bc\"}"));
        assert!(!same("{ \"a\\\" d\": 1 }", "{\"a\\\"d\":1}"));
        assert!(same("{ \"a\": \"…\", … }", "{\"a\":\"x y\",\"b\":1}"));
    }

    #[test]
    fn errors_are_recognised() {
        let body =
            r#"{"message":"not found","code":"not.found","timestamp":"2026-01-01T00:00:00.000Z"}"#;
        assert!(has_error(body) && has_error("HTTP/1.1 404 Not Found"));
        assert!(!has_error(r#"{"name":"a","timestamp":"b"}"#) && !has_error("HTTP/1.1 200 OK"));
    }
}
