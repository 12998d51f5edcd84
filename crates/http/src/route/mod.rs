//! Routes: resources and their endpoints, the extractors of requests that have passed all checks,
//! and the table of all routes.

mod api;
mod call;
pub(crate) mod check;
mod endpoint;
mod json;
mod public;
mod table;

pub(crate) use crate::{
    body_kind::BodyKind,
    fault_style::{FaultStyle, IdFault, SeveralFault},
};
pub(crate) use api::{Api, ApiResource, Repeated, api_resource};
pub(crate) use call::{Call, RequestBody, WithBody, WithLongBody};
pub(crate) use endpoint::Endpoint;
pub(crate) use json::{Batched, JsonObject};
pub(crate) use public::PublicResources;
pub(crate) use table::{RouteEntry, RouteTable};

#[cfg(test)]
mod tests;
