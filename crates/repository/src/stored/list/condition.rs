//! The parts of conditions that both stores write in the same way.

use patrol_domain::list::Condition;

use super::{Bind, ColumnTest, Sql};

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
