//! The form of POST.

use bytes::Bytes;
use patrol_application::NewGraphicPlan;
use patrol_domain::ids;
use patrol_record::value::Id;

use crate::{
    error::{ApiError, Code, Detail},
    form,
    image::ImageFile,
    route::{BodyKind, Call, Endpoint, RequestBody},
    schema::{Name, body},
};

body! {
    /// A form with a graphic plan.
    GraphicPlanUpload {
        name: Name,
        /// JPEG, PNG or WebP, not animated; at most {limit_photo} and {limit_pixels} pixels.
        image: ImageFile,
        /// A new id; Patrol makes one when absent.
        #[schema(required = false)]
        id: Id,
    }
}

impl RequestBody for NewGraphicPlan {
    const KIND: BodyKind = BodyKind::Form;

    async fn read<E: Endpoint>(call: &Call<E>, body: Bytes) -> Result<Self, ApiError> {
        let most = call.settings().photo_limit;
        let names = ["name", "image", "id"];
        let parts = form::parts(call.request().headers(), body, names, most).await?;
        let [name, image, id] = parts;
        let mut faults = Vec::new();
        let mut wrong = |part, expected| {
            faults.push(Detail::new(Code::TypeInvalid, part).with_args([expected]));
        };
        let name = name.map(String::from_utf8).transpose();
        if name.is_err() {
            wrong("name", "STRING");
        }
        let id = id.map(|id| std::str::from_utf8(&id).ok().and_then(ids::parse).ok_or(()));
        let id = id.transpose();
        if id.is_err() {
            wrong("id", "UUID");
        }
        match (name, id) {
            (Ok(name), Ok(id)) => Ok(Self { id: id.map(Into::into), name, image }),
            _ => Err(ApiError::invalid(faults)),
        }
    }
}
