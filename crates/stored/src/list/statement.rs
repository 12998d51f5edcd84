//! Statements that are built at run time.

/// SQL text with its bound values `B`. Equal values mean equal queries.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Sql<B>(Vec<Piece<B>>);

/// A part of a statement.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Piece<B> {
    /// SQL text, without values of a client.
    Text(&'static str),
    /// A value, sent separately from the text.
    Bind(B),
}

impl<B> Default for Sql<B> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<B: Clone> Sql<B> {
    /// Appends SQL text.
    pub fn text(&mut self, sql: &'static str) {
        self.0.push(Piece::Text(sql));
    }

    /// Appends a bound value.
    pub fn bind(&mut self, value: B) {
        self.0.push(Piece::Bind(value));
    }

    /// Appends an expression, with `now` for each `:now`.
    pub fn expression(&mut self, sql: &'static str, now: &B) {
        for (at, part) in sql.split(":now").enumerate() {
            if at > 0 {
                self.bind(now.clone());
            }
            self.text(part);
        }
    }

    /// Appends another statement.
    pub fn append(&mut self, other: &Self) {
        self.0.extend_from_slice(&other.0);
    }

    /// The parts in order.
    #[must_use]
    pub fn pieces(&self) -> &[Piece<B>] {
        &self.0
    }
}
