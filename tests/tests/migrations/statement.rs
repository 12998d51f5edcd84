//! SQL statements as lists of words, as far as the rules need them.

/// A statement: its words in upper case, each punctuation mark a word; without comments, and with
/// `'…'` for every text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Statement {
    pub(crate) words: Vec<String>,
}

impl Statement {
    /// Whether these words occur in sequence. `*` matches any one word.
    pub(crate) fn has(&self, words: &str) -> bool {
        let wanted: Vec<_> = words.split(' ').collect();
        self.words.windows(wanted.len()).any(|found| {
            found.iter().zip(&wanted).all(|(found, wanted)| *wanted == "*" || found == wanted)
        })
    }

    /// The word after these.
    pub(crate) fn after(&self, words: &str) -> Option<&str> {
        let wanted: Vec<_> = words.split(' ').collect();
        let at = self
            .words
            .windows(wanted.len())
            .position(|found| found.iter().zip(&wanted).all(|(found, wanted)| found == wanted))?;
        self.words.get(at + wanted.len()).map(String::as_str)
    }
}

/// Splits a file into statements. Statements between `$$` are included, because they are executed
/// as well.
pub(crate) fn statements(sql: &str) -> Vec<Statement> {
    let mut all = Vec::new();
    let mut words = Vec::new();
    let mut word = String::new();
    let mut rest = sql.chars().peekable();
    while let Some(next) = rest.next() {
        if next.is_alphanumeric() || next == '_' {
            word.extend(next.to_uppercase());
            continue;
        }
        if !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        match next {
            '-' if rest.peek() == Some(&'-') => while rest.next_if(|c| *c != '\n').is_some() {},
            '\'' => {
                while rest.next_if(|c| *c != '\'').is_some() {}
                rest.next();
                words.push("'…'".to_owned());
            }
            ';' => all.push(std::mem::take(&mut words)),
            // A quoted name counts as a name.
            '"' | '$' => {}
            _ if next.is_whitespace() => {}
            _ => words.push(next.to_string()),
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    all.push(words);
    all.into_iter().filter(|words| !words.is_empty()).map(|words| Statement { words }).collect()
}

#[test]
fn a_file_is_split_into_statements_without_comments_and_texts() {
    let found = statements(
        "-- DROP TABLE a; it says\nCREATE TABLE a (b text); SELECT 'DROP; ''x';\n\
         DO $$ BEGIN ALTER TABLE a DROP b; END $$",
    );
    let lines: Vec<_> = found.iter().map(|statement| statement.words.join(" ")).collect();
    assert_eq!(
        lines,
        ["CREATE TABLE A ( B TEXT )", "SELECT '…' '…'", "DO BEGIN ALTER TABLE A DROP B", "END",]
    );
    assert!(found[2].has("TABLE * DROP") && !found[2].has("TABLE DROP"));
    assert_eq!(found[0].after("CREATE TABLE"), Some("A"));
}
