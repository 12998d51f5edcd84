//! The import of people and points.

use std::sync::Arc;

use patrol_application::{Actor, Context, Failure, ImportService, rules};
use patrol_domain::{Limits, user::User};

use crate::clock;

use super::ports::{ids, users};

pub(super) const PERMISSIONS: &[(&str, [bool; 3])] =
    &[("check", [true, false, false]), ("import", [true, false, false])];

pub(super) async fn call(actor: Actor, what: &str) -> Result<(), Failure> {
    let context = Context::new(clock(), ids(), rules(Limits::default()));
    let service = ImportService::<User>::new(Arc::new(users()), context);
    match what {
        "check" => service.check(actor, Vec::new()).await.map(drop),
        "import" => service.import(actor, Vec::new()).await.map(drop),
        other => panic!("{other}"),
    }
}
