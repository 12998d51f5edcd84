//! The parts of conditions that both stores write in the same way.

use patrol_domain::{
    Timestamp,
    ids::Uuid,
    list::{Comparison, Condition, Membership, Test},
};

use super::{Bind, Sql};

/// A test of a column, as SQL knows it.
#[derive(Debug, Clone, Copy)]
pub enum ColumnTest<'a> {
    /// Text that contains this folded text.
    Contains(&'a str),
    /// A value, or a set, that has one of these values, or none of them.
    Among(Membership, Values<'a>),
    /// A time that the operator compares with the given one. The operator has a space on each side.
    Compares(&'static str, Timestamp),
}

/// The values that a column is compared with.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs, reason = "the types say it")]
pub enum Values<'a> {
    Texts(&'a [String]),
    Ids(&'a [Uuid]),
    Codes(&'a [i16]),
    Flag(bool),
    Time(Timestamp),
}

impl<'a> From<&'a Test> for ColumnTest<'a> {
    fn from(test: &'a Test) -> Self {
        match test {
            Test::Contains(term) => Self::Contains(term),
            Test::Text(membership, texts)
            | Test::Exact(membership, texts)
            | Test::Tags(membership, texts) => Self::Among(*membership, Values::Texts(texts)),
            Test::Ids(membership, ids) => Self::Among(*membership, Values::Ids(ids)),
            Test::Codes(membership, codes) => Self::Among(*membership, Values::Codes(codes)),
            Test::Flag(flag) => Self::Among(Membership::Any, Values::Flag(*flag)),
            Test::Time(comparison, time) => match comparison {
                Comparison::Equal => Self::Among(Membership::Any, Values::Time(*time)),
                Comparison::NotEqual => Self::Among(Membership::None, Values::Time(*time)),
                Comparison::Greater => Self::Compares(" > ", *time),
                Comparison::GreaterOrEqual => Self::Compares(" >= ", *time),
                Comparison::Less => Self::Compares(" < ", *time),
                Comparison::LessOrEqual => Self::Compares(" <= ", *time),
            },
        }
    }
}

impl Sql {
    /// Appends a condition. `test` appends a test of a property.
    pub fn condition<P: Copy>(
        &mut self,
        condition: &Condition<P>,
        test: &mut dyn FnMut(&mut Self, P, ColumnTest<'_>),
    ) {
        let part = &mut |sql: &mut Self, part: &_| sql.condition(part, test);
        match condition {
            Condition::All(all) => self.join(all, " AND ", "TRUE", part),
            Condition::Any(any) => self.join(any, " OR ", "FALSE", part),
            Condition::Is(property, is) => test(self, *property, is.into()),
        }
    }

    /// Appends the test that the expression before has one of the values. A single value is compared with
    /// `=`: the usual case, which an index serves better. Several values are an array of PostgreSQL.
    pub fn is_one_of(&mut self, values: &Bind) {
        match values.single() {
            Some(value) => {
                self.text(" = ");
                self.bind(value);
            }
            None => {
                self.text(" = ANY(");
                self.bind(values.clone());
                self.text(")");
            }
        }
    }

    /// Appends the condition that a test fails, also for null, for which no test holds. `test` appends the
    /// test of the column.
    pub fn fails(&mut self, column: &'static str, test: impl FnOnce(&mut Self)) {
        self.texts(&["(", column, " IS NULL OR NOT "]);
        test(self);
        self.text(")");
    }

    /// Joins the items as a balanced tree, because SQLite limits the depth of an expression to
    /// 1000. `empty` is appended when there are none.
    pub fn join<T>(
        &mut self,
        items: &[T],
        operator: &'static str,
        empty: &'static str,
        push: &mut dyn FnMut(&mut Self, &T),
    ) {
        match items {
            [] => self.text(empty),
            [item] => push(self, item),
            _ => {
                let (left, right) = items.split_at(items.len() / 2);
                self.text("(");
                self.join(left, operator, empty, push);
                self.text(operator);
                self.join(right, operator, empty, push);
                self.text(")");
            }
        }
    }
}
