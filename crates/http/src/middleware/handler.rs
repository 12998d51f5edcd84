//! Calls the handler of a resource.

use std::panic::AssertUnwindSafe;

use actix_web::{
    HttpResponse,
    body::BoxBody,
    dev::{ServiceRequest, ServiceResponse},
    middleware::Next,
};
use futures_util::FutureExt as _;

use crate::error::ApiError;

/// Calls the handler. A panic becomes an error response.
pub(crate) async fn call_handler(request: ServiceRequest, next: Next<BoxBody>) -> ServiceResponse {
    // A clone cannot be made earlier: actix changes the request until its resource is found.
    let kept = request.request().clone();
    let error = match AssertUnwindSafe(next.call(request)).catch_unwind().await {
        Ok(Ok(answer)) => return answer,
        Ok(Err(error)) => error,
        Err(_) => {
            let cause = "a panic; the previous log line has its location";
            ApiError::internal(cause).into()
        }
    };
    ServiceResponse::new(kept, HttpResponse::from_error(error))
}
