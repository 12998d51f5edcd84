//! What was reported for an action: a flag, a number, a text or a list of ids.

use std::fmt;

use patrol_domain::task_execution::{ActionType, Outcome};
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{SeqAccess, Visitor},
};

use crate::{Error, member::Id};

#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum ValueWritten<'a> {
    Flag(bool),
    Ids(Vec<Id>),
    Number(f64),
    Text(&'a str),
}

impl<'a> ValueWritten<'a> {
    pub(crate) fn of(outcome: &'a Outcome) -> Self {
        match outcome {
            Outcome::Boolean(yes) => Self::Flag(*yes),
            Outcome::Media(ids) => Self::Ids(ids.iter().map(|id| Id(id.0)).collect()),
            Outcome::Number(reading) => Self::Number(*reading),
            Outcome::Text(text) => Self::Text(text),
        }
    }
}

/// A value as it was found.
pub(crate) enum Value {
    Flag(bool),
    Ids(Vec<Id>),
    Number(f64),
    Text(String),
}

impl Value {
    /// The outcome of an action of this type.
    pub(crate) fn outcome(self, kind: ActionType) -> Result<Outcome, Error> {
        match (kind, self) {
            (ActionType::Boolean, Self::Flag(yes)) => Ok(Outcome::Boolean(yes)),
            (ActionType::Media, Self::Ids(ids)) => {
                Ok(Outcome::Media(ids.into_iter().map(|id| id.0.into()).collect()))
            }
            (ActionType::Number, Self::Number(reading)) => Ok(Outcome::Number(reading)),
            (ActionType::Text, Self::Text(text)) => Ok(Outcome::Text(text)),
            _ => Err(Error::Value),
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;

        impl<'de> Visitor<'de> for Any {
            type Value = Value;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a value")
            }

            fn visit_bool<E: serde::de::Error>(self, yes: bool) -> Result<Value, E> {
                Ok(Value::Flag(yes))
            }

            fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Value, E> {
                Ok(Value::Number(number))
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Value, E> {
                Ok(Value::Text(text.to_owned()))
            }

            fn visit_seq<S: SeqAccess<'de>>(self, mut ids: S) -> Result<Value, S::Error> {
                let mut read = Vec::new();
                while let Some(id) = ids.next_element()? {
                    read.push(id);
                }
                Ok(Value::Ids(read))
            }
        }

        deserializer.deserialize_any(Any)
    }
}
