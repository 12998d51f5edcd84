//! Requests through the whole app, with small test resources and with the real ones.

mod checks;
mod logged;
mod outcome;
mod strange;
mod walk;

use actix_web::{
    HttpResponse,
    body::{BodyStream, SizedStream},
    http::Method,
};
use bytes::Bytes;
use futures_util::stream;
use patrol_application::{Failure, Operation};
use patrol_domain::{Path, Rule, StoreError, ids::Uuid};
use patrol_record::json::fields::Fields;

use super::*;
use crate::{
    app::Routes,
    error::HandlerResult,
    features::ROUTES,
    settings::Settings,
    tests::{Ports, TestServer},
};

/// A valid id.
const ID: &str = "0190a000-0000-7000-8000-00000000000a";

/// Resources with every fault style.
fn things(api: &mut Api<'_>) {
    let read = Endpoint::from(Operation::Read);
    let plan = Endpoint::from(Operation::Plan);
    api.service(api_resource("/things/info").get(read, listed))
        .service(
            api_resource("/things/{id}")
                .get(read.faults(TOP), shown)
                .put(plan.faults(PUT), ordered, Repeated(ordered))
                .patch(plan.faults(PATCH), ordered, Repeated(ordered))
                .delete(plan.faults(TOP), shown),
        )
        .service(api_resource("/things/{id}/copy").post(
            plan.faults(FaultStyle::BODY_AS_INPUT),
            ordered,
            Repeated(ordered),
        ))
        .service(api_resource("/things").get(read, listed))
        .service(api_resource("/failures/panic").get(read, panics))
        .service(api_resource("/failures/store").get(read, store_fails))
        .service(api_resource("/failures/unavailable").get(read, store_is_away))
        .service(api_resource("/streams/long").get(read, streamed))
        .service(api_resource("/streams/broken").get(read, broken))
        .service(api_resource("/streams/sized").get(read, sized));
}

const TOP: FaultStyle = FaultStyle { id: IdFault::Top, ..FaultStyle::PLAIN };

const PUT: FaultStyle = FaultStyle { several: SeveralFault::Top, ..TOP };

const PATCH: FaultStyle = FaultStyle { several: SeveralFault::Detail, ..FaultStyle::PLAIN };

/// The only member of the bodies.
struct Order(Option<i64>);

impl JsonObject for Order {
    fn read(fields: &mut Fields<'_>) -> Self {
        Self(fields.integer("order"))
    }
}

fn server() -> TestServer {
    server_with(Settings::default())
}

fn server_with(settings: Settings) -> TestServer {
    let mut ports = Ports::default();
    ports.readiness.expect_ping().returning(|| Ok(()));
    TestServer::of(ports, settings, Routes { features: things, ..ROUTES })
}

async fn shown(call: Call) -> HandlerResult {
    Ok(HttpResponse::Ok().body(call.id::<Uuid>().to_string()))
}

async fn ordered(WithBody(call, Order(order)): WithBody<Order>) -> HandlerResult {
    match order {
        Some(order) => Ok(HttpResponse::Ok().body(format!("{} {order}", call.id::<Uuid>()))),
        None => Err(Failure::fault(&Path::Root.field("order"), Rule::NotNull).into()),
    }
}

async fn listed(call: Call) -> HandlerResult {
    Ok(HttpResponse::Ok().body(format!("list {}", call.query())))
}

async fn panics(_: Call) -> HandlerResult {
    panic!("secret-panic")
}

async fn store_fails(_: Call) -> HandlerResult {
    Err(StoreError::Internal("secret-column".to_owned()).into())
}

async fn store_is_away(_: Call) -> HandlerResult {
    Err(StoreError::Unavailable("secret-address".to_owned()).into())
}

async fn streamed(_: Call) -> HandlerResult {
    Ok(HttpResponse::Ok().body(BodyStream::new(endless())))
}

async fn broken(_: Call) -> HandlerResult {
    let failure = StoreError::Internal("secret-column".to_owned());
    let pieces = [Ok(Bytes::from_static(b"[")), Err(failure)];
    Ok(HttpResponse::Ok().body(BodyStream::new(stream::iter(pieces))))
}

async fn sized(_: Call) -> HandlerResult {
    Ok(HttpResponse::Ok().body(SizedStream::new(1000, endless())))
}

/// A body that must not be read for a HEAD response.
fn endless() -> impl futures_core::Stream<Item = Result<Bytes, StoreError>> {
    stream::repeat_with(|| -> Result<Bytes, StoreError> { panic!("the body was read") })
}
