//! Decides which terms are looked up by trigrams. The rows that such a lookup finds still have to
//! be compared with the term, because a text may have all trigrams of the term in different places.

use std::collections::BTreeMap;

use diesel::SqliteConnection;
use patrol_domain::{
    StoreError,
    list::{Condition, Test},
};
use patrol_repository::stored::list::{Column, Table, Trigrams};

use super::{Bind, Sql, count::Counts};
use crate::engine::Abort;

/// The maximum number of terms of a query that are considered.
const MAX_TERMS: usize = 4;

/// The maximum number of trigrams of a term that are looked up. More would exclude hardly anything.
const MAX_TRIGRAMS: usize = 32;

/// Terms with few candidates.
#[derive(Default)]
pub(super) struct SelectiveTerms {
    /// Where they are looked up.
    trigrams: Option<Trigrams>,
    /// By term, their FTS5 queries.
    patterns: BTreeMap<String, String>,
}

impl SelectiveTerms {
    /// No terms.
    pub(super) const fn none() -> Self {
        Self { trigrams: None, patterns: BTreeMap::new() }
    }

    /// The selective terms of the condition and the quick search, in the snapshot of `connection`.
    pub(super) fn of(
        connection: &mut SqliteConnection,
        table: &Table,
        condition: &Condition<Column>,
        search: Option<&str>,
        counts: &Counts,
    ) -> Result<Self, Abort<StoreError>> {
        let Some(trigrams) = table.trigrams else { return Ok(Self::default()) };
        let mut terms = Vec::from_iter(search);
        collect(condition, &mut terms);
        let mut patterns = BTreeMap::new();
        let found = terms.into_iter().filter_map(|term| Some((term, pattern(term)?)));
        for (term, pattern) in found.take(MAX_TERMS) {
            let candidates =
                counts.number(connection, table, count_candidates(trigrams, &pattern))?;
            if i64::try_from(candidates).is_ok_and(|found| found <= trigrams.max_candidates) {
                patterns.insert(term.to_owned(), pattern);
            }
        }
        Ok(Self { trigrams: Some(trigrams), patterns })
    }

    /// Selects the keys of the rows that may contain the term, if it is selective.
    pub(super) fn candidates(&self, term: &str) -> Option<Sql> {
        let trigrams = self.trigrams?;
        let mut sql = matching(trigrams, self.patterns.get(term)?);
        sql.texts(&[" UNION ALL ", trigrams.missing]);
        Some(sql)
    }
}

fn collect<'a>(condition: &'a Condition<Column>, terms: &mut Vec<&'a str>) {
    match condition {
        Condition::All(some) | Condition::Any(some) => {
            for condition in some {
                collect(condition, terms);
            }
        }
        Condition::Is(_, Test::Contains(term)) => terms.push(term),
        Condition::Is(..) => {}
    }
}

/// An FTS5 query that every text with the term matches, because the text contains each trigram of
/// the term. `None` for a term that is too short, and for one with U+0000, which no text contains.
fn pattern(term: &str) -> Option<String> {
    if term.contains('\0') {
        return None;
    }
    let ends = term.char_indices().skip(3).map(|(end, _)| end).chain([term.len()]);
    let parts = term.char_indices().zip(ends).filter_map(|((start, _), end)| term.get(start..end));
    let mut pattern = String::new();
    for part in parts.filter(|part| part.chars().count() == 3).take(MAX_TRIGRAMS) {
        pattern.push('"');
        pattern.push_str(&part.replace('"', "\"\""));
        pattern.push_str("\" ");
    }
    (!pattern.is_empty()).then_some(pattern)
}

/// Selects the keys of the rows that contain all trigrams.
fn matching(Trigrams { table, .. }: Trigrams, pattern: &str) -> Sql {
    let mut sql = Sql::of(&["SELECT rowid FROM ", table, " WHERE ", table, " MATCH "]);
    sql.bind(Bind::Text(pattern.to_owned()));
    sql
}

/// Counts the rows that contain all trigrams, up to a limit.
fn count_candidates(trigrams: Trigrams, pattern: &str) -> Sql {
    let mut sql = Sql::of(&["SELECT count(*) FROM ("]);
    sql.append(&matching(trigrams, pattern));
    sql.fill(" LIMIT ?)", [Bind::Integer(trigrams.max_candidates.saturating_add(1))]);
    sql
}

#[cfg(test)]
mod tests {
    use super::pattern;

    #[test]
    fn a_pattern_is_all_the_trigrams_of_a_term() {
        let pattern = |term| pattern(term).unwrap_or_default();
        assert_eq!(pattern("обход"), "\"обх\" \"бхо\" \"ход\" ");
        assert_eq!(pattern("a\"😀"), "\"a\"\"😀\" ");
        assert_eq!(pattern("abc"), "\"abc\" ");
        for none in ["", "a", "ab", "жж", "abcd\0"] {
            assert_eq!(pattern(none), "", "{none}");
        }
        assert_eq!(pattern(&"abc".repeat(100)).split(' ').count(), 33);
    }
}
