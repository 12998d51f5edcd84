//! Which terms are looked up by the three characters that stand one after another in them
//! (architecture 8). What is found has to be tested: the characters may stand apart.

use std::collections::BTreeMap;

use diesel::SqliteConnection;
use patrol_domain::{
    StoreError,
    list::{Condition, Query, Test},
};
use patrol_stored::list::Trigrams;

use super::{
    Counts, ListTable,
    statement::{Bind, Sql},
};
use crate::engine::Abort;

/// A term whose trigrams more rows hold is not looked up: to test rows in the order of the list, until
/// there are enough, is faster then.
const CANDIDATES: i64 = 20_000;

/// How many terms of a query that have trigrams are looked at.
const TERMS: usize = 4;

/// How many trigrams of a term are looked up. More hardly exclude anything.
const PARTS: usize = 32;

/// Terms that few rows may hold, with what FTS5 is to be asked for them.
#[derive(Default)]
pub(super) struct Selective(BTreeMap<String, String>);

impl Selective {
    /// The selective ones among the terms of `query`, in the snapshot that `connection` reads.
    pub(super) fn of<L: ListTable>(
        connection: &mut SqliteConnection,
        query: &Query<L>,
        counts: &Counts,
    ) -> Result<Self, Abort<StoreError>> {
        let Some(trigrams) = L::TRIGRAMS else { return Ok(Self::default()) };
        let mut terms = Vec::from_iter(query.search.as_deref());
        collect(&query.condition, &mut terms);
        let mut selective = BTreeMap::new();
        let patterns = terms.into_iter().filter_map(|term| Some((term, pattern(term)?)));
        for (term, pattern) in patterns.take(TERMS) {
            let candidates = counts.number::<L>(connection, candidates(trigrams, &pattern))?;
            if i64::try_from(candidates).is_ok_and(|candidates| candidates <= CANDIDATES) {
                selective.insert(term.to_owned(), pattern);
            }
        }
        Ok(Self(selective))
    }

    /// What FTS5 is to be asked for the term, if that is of use.
    pub(super) fn pattern(&self, term: &str) -> Option<&str> {
        self.0.get(term).map(String::as_str)
    }
}

fn collect<'a, P>(condition: &'a Condition<P>, terms: &mut Vec<&'a str>) {
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

/// What every text that holds the term meets: it holds each of these three characters. A term that is
/// too short has none, and one with U+0000, which no text holds, is not looked for.
fn pattern(term: &str) -> Option<String> {
    if term.contains('\0') {
        return None;
    }
    let ends = term.char_indices().skip(3).map(|(end, _)| end).chain([term.len()]);
    let parts = term.char_indices().zip(ends).filter_map(|((start, _), end)| term.get(start..end));
    let mut pattern = String::new();
    for part in parts.filter(|part| part.chars().count() == 3).take(PARTS) {
        pattern.push('"');
        pattern.push_str(&part.replace('"', "\"\""));
        pattern.push_str("\" ");
    }
    (!pattern.is_empty()).then_some(pattern)
}

/// Counts the rows that hold all the trigrams, but not much further than need be.
fn candidates(trigrams: Trigrams, pattern: &str) -> Sql {
    let mut sql = Sql::default();
    sql.text("SELECT count(*) FROM (");
    sql.text(trigrams.matching);
    sql.bind(Bind::Text(pattern.to_owned()));
    sql.text(" LIMIT ");
    sql.bind(Bind::Integer(CANDIDATES.saturating_add(1)));
    sql.text(")");
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
