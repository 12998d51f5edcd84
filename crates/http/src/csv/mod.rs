//! Records as CSV (RFC 4180). `docs/api/conventions.md` describes the form.

mod accept;
#[cfg(test)]
mod tests;

use std::{borrow::Cow, io, slice};

use csv::{Terminator, Writer, WriterBuilder};
use patrol_domain::StoreError;
use serde::{
    Deserializer as _, Serialize,
    de::{Error as _, MapAccess, Visitor},
};
use serde_json::value::RawValue;
use utoipa::{
    ToSchema,
    openapi::{RefOr, Schema},
};

pub(crate) use accept::wants_csv;

/// The Content-Type of CSV.
pub(crate) const CSV: &str = "text/csv; charset=utf-8";

/// The characters with which a spreadsheet begins a formula, if a text begins with one of them.
pub(crate) const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// Writes records of one type as rows, each after the other. Uses the memory of one row.
pub(crate) struct CsvRows {
    columns: Vec<String>,
    /// The row as JSON.
    json: Vec<u8>,
}

impl CsvRows {
    /// Writes the header: the members of `R`, in the order of the API.
    ///
    /// # Errors
    /// `Internal` when `R` is not an object.
    pub(crate) fn begin<R: ToSchema>(out: &mut Vec<u8>) -> Result<Self, StoreError> {
        let columns: Vec<String> = match R::schema() {
            RefOr::T(Schema::Object(object)) => object.properties.into_keys().collect(),
            _ => return Err(internal(&"the record is no object")),
        };
        writer(out).write_record(&columns).map_err(|cause| internal(&cause))?;
        Ok(Self { columns, json: Vec::new() })
    }

    /// Writes a row for each record, which has to have all members.
    ///
    /// # Errors
    /// `Internal` when a record cannot be written.
    pub(crate) fn write<R: Serialize>(
        &mut self,
        records: impl Iterator<Item = R>,
        out: &mut Vec<u8>,
    ) -> Result<(), StoreError> {
        let mut rows = writer(out);
        for record in records {
            self.json.clear();
            serde_json::to_writer(&mut self.json, &record).map_err(|cause| internal(&cause))?;
            let row = Row { columns: self.columns.iter(), rows: &mut rows };
            let mut json = serde_json::Deserializer::from_slice(&self.json);
            json.deserialize_map(row).map_err(|cause| internal(&cause))?;
        }
        rows.flush().map_err(|cause| internal(&cause))
    }
}

fn internal(cause: &dyn std::fmt::Display) -> StoreError {
    StoreError::Internal(format!("a row of CSV cannot be written: {cause}"))
}

fn writer(out: &mut Vec<u8>) -> Writer<&mut Vec<u8>> {
    WriterBuilder::new().terminator(Terminator::CRLF).from_writer(out)
}

/// Writes a record, from its JSON.
struct Row<'a, W: io::Write> {
    columns: slice::Iter<'a, String>,
    rows: &'a mut Writer<W>,
}

impl<'de, W: io::Write> Visitor<'de> for Row<'_, W> {
    type Value = ();

    fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("a record")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<(), A::Error> {
        while let Some((name, value)) = members.next_entry::<&str, &RawValue>()? {
            if self.columns.next().is_none_or(|column| column != name) {
                return Err(A::Error::custom(format!("the header has no {name} here")));
            }
            let cell = cell(value.get()).map_err(A::Error::custom)?;
            self.rows.write_field(&*cell).map_err(A::Error::custom)?;
        }
        match self.columns.next() {
            Some(missing) => Err(A::Error::custom(format!("the record has no {missing}"))),
            None => self.rows.write_record(None::<&[u8]>).map_err(A::Error::custom),
        }
    }
}

/// The cell of a value: a text as it is; null and the empty list empty; a list joined by `;`; anything else,
/// and a list of objects, as JSON.
fn cell(json: &str) -> serde_json::Result<Cow<'_, str>> {
    if json.starts_with('"') {
        return text(json);
    }
    if json.starts_with('[') {
        let elements: Vec<&RawValue> = serde_json::from_str(json)?;
        if !elements.iter().any(|element| element.get().starts_with(['{', '['])) {
            let cells = elements.into_iter().map(|element| cell(element.get()));
            return Ok(cells.collect::<Result<Vec<_>, _>>()?.join(";").into());
        }
    }
    Ok(if json == "null" { "" } else { json }.into())
}

/// A text, with `'` in front if a spreadsheet would read it as a formula.
fn text(json: &str) -> serde_json::Result<Cow<'_, str>> {
    let quoted = json.strip_prefix('"').and_then(|json| json.strip_suffix('"'));
    let text = match quoted.filter(|text| !text.contains('\\')) {
        Some(text) => Cow::Borrowed(text),
        None => serde_json::from_str::<String>(json)?.into(),
    };
    Ok(if text.starts_with(FORMULA) { format!("'{text}").into() } else { text })
}
