//! The pipeline from outside, with small test routes and with the real table.

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
use patrol_json::fields::Fields;

use super::*;
use crate::{
    services::Settings,
    testing::{Ports, Site},
};

/// A valid id.
const ID: &str = "0190a000-0000-7000-8000-00000000000a";

/// Routes with every fault style.
fn things() -> Vec<Route> {
    let (path, item) = ("/things", "/things/{id}");
    let top = FaultStyle { id: IdFault::Top, ..FaultStyle::PLAIN };
    let put = FaultStyle { id: IdFault::Top, several: Several::Top, ..FaultStyle::JSON };
    let patch = FaultStyle { several: Several::Detail, ..FaultStyle::JSON };
    let copy =
        FaultStyle { media: BodyFault::Invalid, rules: RuleFault::Input, ..FaultStyle::JSON };
    vec![
        Route::get(item, Operation::Read, top, shown),
        Route::json(Method::PUT, item, Operation::Plan, put, None, order, ordered),
        Route::json(Method::PATCH, item, Operation::Plan, patch, None, order, ordered),
        Route::delete(item, Operation::Plan, top, shown),
        Route::json(Method::POST, "/things/{id}/copy", Operation::Plan, copy, None, order, ordered),
        Route::get("/things/info", Operation::Read, FaultStyle::PLAIN, listed),
        Route::get(path, Operation::Read, FaultStyle::PLAIN, listed),
        Route::get("/failures/panic", Operation::Read, FaultStyle::PLAIN, panics),
        Route::get("/failures/store", Operation::Read, FaultStyle::PLAIN, store_fails),
        Route::get("/failures/away", Operation::Read, FaultStyle::PLAIN, store_is_away),
        Route::get("/streams/long", Operation::Read, FaultStyle::PLAIN, streamed),
        Route::get("/streams/broken", Operation::Read, FaultStyle::PLAIN, broken),
        Route::get("/streams/sized", Operation::Read, FaultStyle::PLAIN, sized),
    ]
}

fn site() -> Site {
    site_with(Settings::default())
}

fn site_with(settings: Settings) -> Site {
    Site::of(Ports::default(), settings, things(), crate::routes::pages())
}

async fn shown(call: Call) -> Answer {
    Ok(HttpResponse::Ok().body(call.id::<Uuid>().to_string()))
}

fn order(fields: &mut Fields<'_>) -> Option<i64> {
    fields.integer("order")
}

async fn ordered(call: Call, order: Option<i64>) -> Answer {
    match order {
        Some(order) => Ok(HttpResponse::Ok().body(format!("{} {order}", call.id::<Uuid>()))),
        None => Err(Failure::fault(&Path::Root.field("order"), Rule::NotNull).into()),
    }
}

async fn listed(call: Call) -> Answer {
    Ok(HttpResponse::Ok().body(format!("list {}", call.query())))
}

async fn panics(_: Call) -> Answer {
    panic!("secret-panic")
}

async fn store_fails(_: Call) -> Answer {
    Err(StoreError::Internal("secret-column".to_owned()).into())
}

async fn store_is_away(_: Call) -> Answer {
    Err(StoreError::Unavailable("secret-address".to_owned()).into())
}

async fn streamed(_: Call) -> Answer {
    Ok(HttpResponse::Ok().body(BodyStream::new(endless())))
}

async fn broken(_: Call) -> Answer {
    let failure = StoreError::Internal("secret-column".to_owned());
    let pieces = [Ok(Bytes::from_static(b"[")), Err(failure)];
    Ok(HttpResponse::Ok().body(BodyStream::new(stream::iter(pieces))))
}

async fn sized(_: Call) -> Answer {
    Ok(HttpResponse::Ok().body(SizedStream::new(1000, endless())))
}

/// A body that must not be read for a HEAD response.
fn endless() -> impl futures_core::Stream<Item = Result<Bytes, StoreError>> {
    stream::repeat_with(|| -> Result<Bytes, StoreError> { panic!("the body was read") })
}
