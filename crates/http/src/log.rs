//! The access log: one event for each request.

use std::{net::IpAddr, time::Duration};

use actix_web::http::StatusCode;
use patrol_domain::{access::Caller, ids::Uuid};

use crate::{error::Code, request_id::RequestId};

/// A request that was answered. Of the values that a client chooses, only checked ones are logged:
/// the request id, UUIDs of records, and addresses. Other headers, the path and the query string
/// may contain secrets.
pub(crate) struct Answered<'a> {
    /// The method, or `OTHER`.
    pub(crate) method: &'a str,
    /// The pattern of the route, or `unmatched`.
    pub(crate) route: &'a str,
    pub(crate) status: StatusCode,
    /// The code of the error, and that of its first detail.
    pub(crate) error: (Option<Code>, Option<Code>),
    /// From the head of the request to the head of the response.
    pub(crate) took: Duration,
    pub(crate) request_id: &'a RequestId,
    /// The address of the client.
    pub(crate) client: Option<IpAddr>,
    /// The caller, if the request was authenticated.
    pub(crate) caller: Option<Caller>,
    /// The records that the request changed or tried to change.
    pub(crate) record: Option<ChangedRecords>,
}

/// The changed records in the form of the log: at most [`ChangedRecords::MAX_IDS`] ids, and the number of
/// others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChangedRecords(String);

impl ChangedRecords {
    /// The maximum number of ids in a line.
    const MAX_IDS: usize = 10;

    /// The id of a single record.
    #[must_use]
    pub fn one(id: Uuid) -> Self {
        Self::first_of(id, 1)
    }

    /// The id of the first of `count` records.
    pub(crate) fn first_of(id: Uuid, count: usize) -> Self {
        Self::listed(&[id], count)
    }

    /// The first ids, and the number of others.
    pub(crate) fn all(ids: impl ExactSizeIterator<Item = Uuid>) -> Self {
        let count = ids.len();
        Self::listed(&ids.take(Self::MAX_IDS).collect::<Vec<_>>(), count)
    }

    fn listed(ids: &[Uuid], count: usize) -> Self {
        let mut names: Vec<_> = ids.iter().map(ToString::to_string).collect();
        let more = count.saturating_sub(ids.len());
        if more > 0 {
            names.push(format!("+{more}"));
        }
        Self(names.join(","))
    }
}

impl Answered<'_> {
    /// Writes the log event.
    pub(crate) fn log(&self) {
        let (code, detail) = self.error;
        tracing::info!(
            target: "patrol::access",
            method = self.method,
            route = self.route,
            status = self.status.as_u16(),
            code = code.map(Code::name),
            detail = detail.map(Code::name),
            micros = u64::try_from(self.took.as_micros()).unwrap_or(u64::MAX),
            request_id = self.request_id.as_str(),
            client = self.client.map(tracing::field::display),
            record = self.record.as_ref().map(|record| record.0.as_str()).filter(|ids| !ids.is_empty()),
            user = self.caller.map(|caller| tracing::field::display(caller.user)),
            "answered"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_changed_records_is_bounded() {
        let id = Uuid::from_u128;
        let text = |number: u128| id(number).to_string();
        assert_eq!(ChangedRecords::one(id(1)).0, text(1));
        assert_eq!(ChangedRecords::first_of(id(1), 3).0, format!("{},+2", text(1)));
        let two = [id(1), id(2)];
        assert_eq!(ChangedRecords::all(two.into_iter()).0, format!("{},{}", text(1), text(2)));
        let many: Vec<_> = (0..1000).map(id).collect();
        let named = ChangedRecords::all(many.into_iter()).0;
        assert!(named.starts_with(&text(0)) && named.ends_with(&format!("{},+990", text(9))));
    }
}
