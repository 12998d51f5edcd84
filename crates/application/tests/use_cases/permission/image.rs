//! The use cases of images of no owner.

use patrol_application::{Actor, Failure};
use patrol_domain::photo::{ImageError, MockImages};

use super::ports::image_service;

pub(super) const PERMISSIONS: &[(&str, [bool; 3])] = &[("codes", [true, true, true])];

pub(super) async fn call(actor: Actor, what: &str) -> Result<(), Failure> {
    let mut images = MockImages::new();
    images.expect_codes().returning(|_| Err(ImageError::Unusable));
    match what {
        "codes" => image_service(images).codes(actor, Vec::new()).await.map(drop),
        other => panic!("{other}"),
    }
}
