//! The result of an action: a boolean, a number, a text or a list of ids.

use patrol_domain::{
    ids::MediaId,
    task_execution::{ActionType, Outcome},
};
use serde::Serialize;

use crate::stored::{Error, member::Id, reader::Reader};

#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum ValueColumns<'a> {
    Flag(bool),
    Ids(Vec<Id>),
    Number(f64),
    Text(&'a str),
}

impl<'a> ValueColumns<'a> {
    pub(crate) fn of(outcome: &'a Outcome) -> Self {
        match outcome {
            Outcome::Boolean(yes) => Self::Flag(*yes),
            Outcome::Media(ids) => Self::Ids(ids.iter().map(|id| Id(id.0)).collect()),
            Outcome::Number(reading) => Self::Number(*reading),
            Outcome::Text(text) => Self::Text(text),
        }
    }
}

/// A value as read.
pub(crate) enum Value {
    Flag(bool),
    Ids(Vec<MediaId>),
    Number(f64),
    Text(String),
}

impl Value {
    /// Parses the next value.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, Error> {
        match reader.next() {
            Some(b'"') => Ok(Self::Text(reader.text()?.into_owned())),
            Some(b'[') => {
                let mut ids = Vec::new();
                reader.list(|reader| {
                    ids.push(reader.id()?.into());
                    Ok(())
                })?;
                Ok(Self::Ids(ids))
            }
            Some(b't' | b'f') => Ok(Self::Flag(reader.plain()?)),
            _ => Ok(Self::Number(reader.plain()?)),
        }
    }

    /// The outcome for an action of this type.
    pub(crate) fn outcome(self, kind: ActionType) -> Result<Outcome, Error> {
        match (kind, self) {
            (ActionType::Boolean, Self::Flag(yes)) => Ok(Outcome::Boolean(yes)),
            (ActionType::Media, Self::Ids(ids)) => Ok(Outcome::Media(ids)),
            (ActionType::Number, Self::Number(reading)) => Ok(Outcome::Number(reading)),
            (ActionType::Text, Self::Text(text)) => Ok(Outcome::Text(text)),
            _ => Err(Error::Value),
        }
    }
}
