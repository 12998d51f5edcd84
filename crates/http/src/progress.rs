//! What is known of a request while it is answered.

use std::{cell::Cell, rc::Rc};

use actix_web::{HttpMessage as _, HttpRequest};
use patrol_domain::access::Caller;

use crate::{fault_style::FaultStyle, metrics::RouteIndex, request_id::RequestId};

/// What is known of a request. The outer middleware creates it; resources and extractors, which run
/// later, add to it. It outlives a request that is cancelled.
pub(crate) struct Progress {
    pub(crate) request_id: RequestId,
    /// The index of the route in the metrics.
    pub(crate) route: Cell<Option<RouteIndex>>,
    /// Whether the response must not be cached.
    pub(crate) no_store: Cell<bool>,
    /// The user, if the token is valid.
    pub(crate) caller: Cell<Option<Caller>>,
    /// How the endpoint reports faults.
    pub(crate) faults: Cell<FaultStyle>,
}

impl Progress {
    /// The progress of a new request, which is stored in `request` too.
    pub(crate) fn begin(request: &HttpRequest, request_id: RequestId) -> Rc<Self> {
        let progress = Rc::new(Self {
            request_id,
            route: Cell::default(),
            no_store: Cell::default(),
            caller: Cell::default(),
            faults: Cell::new(FaultStyle::PLAIN),
        });
        request.extensions_mut().insert(Rc::clone(&progress));
        progress
    }

    /// The progress of this request; `None` if [`Self::begin`] was not called.
    pub(crate) fn of(request: &HttpRequest) -> Option<Rc<Self>> {
        request.extensions().get().cloned()
    }
}
