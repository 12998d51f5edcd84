//! Statements that are put together while the program runs.

/// SQL with the values `B` that it binds. Equal ones ask for the same.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Sql<B>(Vec<Piece<B>>);

/// A part of a statement.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Piece<B> {
    /// SQL.
    Text(&'static str),
    /// A value.
    Bind(B),
}

impl<B> Default for Sql<B> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<B: Clone> Sql<B> {
    /// Appends SQL.
    pub fn text(&mut self, sql: &'static str) {
        self.0.push(Piece::Text(sql));
    }

    /// Appends a value.
    pub fn bind(&mut self, value: B) {
        self.0.push(Piece::Bind(value));
    }

    /// Appends an expression, with `now` wherever it says `:now`.
    pub fn expression(&mut self, sql: &'static str, now: &B) {
        for (at, part) in sql.split(":now").enumerate() {
            if at > 0 {
                self.bind(now.clone());
            }
            self.text(part);
        }
    }

    /// Appends what `other` holds.
    pub fn append(&mut self, other: &Self) {
        self.0.extend_from_slice(&other.0);
    }

    /// Its parts, in their order.
    #[must_use]
    pub fn pieces(&self) -> &[Piece<B>] {
        &self.0
    }
}
