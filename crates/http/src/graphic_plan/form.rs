//! The form of POST.

use bytes::Bytes;
use patrol_application::NewGraphicPlan;
use patrol_record::value::Id;

use crate::{
    error::{ApiError, Code, Detail},
    form,
    image::ImageFile,
    route::{BodyKind, Call, RequestBody},
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

    async fn read(call: &Call, body: Bytes) -> Result<Self, ApiError> {
        let most = call.settings().photo_limit;
        let names = ["name", "image", "id"];
        let parts = form::parts(call.request().headers(), body, names, most).await?;
        let [name, image, id] = parts;
        let name = name.map(String::from_utf8).transpose();
        let name = name.map_err(|_| Detail::new(Code::TypeInvalid, "name").with_args(["STRING"]));
        let id = form::id(id.as_deref());
        match (name, id) {
            (Ok(name), Ok(id)) => Ok(Self { id: id.map(Into::into), name, image }),
            (name, id) => Err(ApiError::invalid(name.err().into_iter().chain(id.err()).collect())),
        }
    }
}
