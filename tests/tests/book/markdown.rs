//! The fenced blocks of a page.

/// Languages whose blocks are commands.
const SHELLS: [&str; 6] = ["sh", "bash", "zsh", "shell", "console", "shell-session"];

/// How a paragraph starts that says why the block after it is not run.
const NOT_RUN: &str = "*Not run by the tests:";

/// A fenced block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    /// The line of the opening fence, counted from 1.
    pub(crate) line: usize,
    /// What the block is for.
    pub(crate) kind: Kind,
    /// Its lines, without the indentation of the fence.
    pub(crate) text: String,
}

/// What a block is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Commands that the test runs.
    Commands,
    /// Commands that the test does not run, and the reason that the page gives.
    NotRun(String),
    /// What the commands before it print.
    Answer {
        /// Whether white space outside strings does not count.
        json: bool,
    },
    /// Anything else. `after_commands`: nothing but blank lines is between it and commands.
    Other {
        /// Whether it looks like an answer.
        after_commands: bool,
    },
}

impl Block {
    /// Whether it has commands, though its language is no shell.
    pub(crate) fn hides_commands(&self) -> bool {
        let is_command = |line: &str| {
            ["$ ", "curl ", "patrol "].iter().any(|start| line.trim_start().starts_with(start))
        };
        matches!(self.kind, Kind::Other { .. }) && self.text.lines().any(is_command)
    }
}

/// All blocks of a page, in order.
///
/// # Panics
/// When a block has another fence than three backticks.
pub(crate) fn blocks(page: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut paragraph: Vec<&str> = Vec::new();
    let mut after_commands = false;
    let mut lines = page.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let content = line.trim_start();
        assert!(
            !content.starts_with("~~~") && !content.starts_with("````"),
            "line {}: write fences as ```, so that the tests see the block",
            number + 1
        );
        let indent = line.len() - content.len();
        if let Some(info) = content.strip_prefix("```") {
            let mut text = String::new();
            for (_, line) in lines.by_ref().take_while(|(_, line)| line.trim() != "```") {
                text.push_str(line.get(indent..).unwrap_or_default());
                text.push('\n');
            }
            let kind = kind(info, &paragraph.join(" "), after_commands);
            after_commands = kind == Kind::Commands;
            paragraph.clear();
            found.push(Block { line: number + 1, kind, text });
        } else if !content.is_empty() {
            // A paragraph ends at a blank line and starts anew after it.
            let starts = number == 0 || page.lines().nth(number - 1).is_some_and(str::is_empty);
            if starts {
                paragraph.clear();
            }
            paragraph.push(content);
            after_commands = false;
        }
    }
    found
}

fn kind(info: &str, paragraph: &str, after_commands: bool) -> Kind {
    let mut words = info.split_whitespace();
    let language = words.next().unwrap_or_default().to_lowercase();
    if SHELLS.contains(&language.as_str()) {
        let reason = paragraph.split_once(NOT_RUN).and_then(|(_, rest)| rest.split('*').next());
        return reason.map_or(Kind::Commands, |reason| Kind::NotRun(reason.trim().to_owned()));
    }
    match (language.as_str(), words.next()) {
        ("text", Some("answer")) => Kind::Answer { json: false },
        ("json", Some("answer")) => Kind::Answer { json: true },
        _ => Kind::Other { after_commands },
    }
}

#[cfg(test)]
mod tests {
    use super::{Block, Kind, blocks};

    #[test]
    fn blocks_are_found_with_their_kinds() {
        let page = "# Title\n\n```sh\na\n```\n\n```json answer\n{}\n```\n\nWords.\n\n\
                    *Not run by the tests: it needs\nroot.*\n\n   ```sh\n   b\n     c\n   ```\n\n\
                    ```bash\nd\n```\n```text\ne\n```\n\nMore.\n\n```ini\n```\n";
        let block = |line, kind, text: &str| Block { line, kind, text: text.to_owned() };
        let expected = [
            block(3, Kind::Commands, "a\n"),
            block(7, Kind::Answer { json: true }, "{}\n"),
            block(16, Kind::NotRun("it needs root.".to_owned()), "b\n  c\n"),
            block(21, Kind::Commands, "d\n"),
            block(24, Kind::Other { after_commands: true }, "e\n"),
            block(30, Kind::Other { after_commands: false }, ""),
        ];
        assert_eq!(blocks(page), expected);
    }
}
