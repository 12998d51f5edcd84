//! QR codes in pictures, for browsers that cannot read them.

use actix_web::{HttpRequest, HttpResponse, web::Payload};
use patrol_http::{JsonError, PageError, PageRequest};
use serde::Serialize;

use crate::{view, visit::site_of};

/// The largest picture, in bytes.
const MAX_PICTURE: usize = 1 << 20;

/// The codes of a picture.
#[derive(Serialize)]
struct Found {
    codes: Vec<String>,
}

/// POST /guard/codes
pub(crate) async fn read(
    mut page: PageRequest,
    request: HttpRequest,
    payload: Payload,
) -> actix_web::Result<HttpResponse> {
    let site = site_of(&request)?;
    let actor = page.authenticate().await?;
    let picture = page.body(&mut payload.into_inner(), MAX_PICTURE).await?;
    let _permit = page.begin_slow_request().await?;
    let codes = site.services.images.codes(actor, picture.into()).await.map_err(PageError::of)?;
    let codes = codes.ok_or(JsonError::BadImage)?;
    let mut answer = HttpResponse::Ok().json(Found { codes });
    view::finish(&mut answer, &site.settings.public_url, &[]);
    Ok(answer)
}
