//! Output forms of values, for `#[serde(serialize_with = "…")]`.

mod id;
mod members;
mod name;
mod number;
mod timestamp;

pub use id::{id, id_or_null, ids};
pub use members::further;
pub use name::name;
pub use number::{number, number_or_null};
pub use timestamp::{timestamp, timestamp_or_null};
