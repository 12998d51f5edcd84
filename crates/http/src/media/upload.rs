//! The form of POST, read piece by piece.

use patrol_application::MediaUpload;
use patrol_domain::ids::MediaId;

use crate::{
    body::LongBody,
    error::{ApiError, Code},
    form,
    route::Call,
};

const FILE: &str = "file";
const ID: &str = "id";

/// The maximum length of a UUID as text. A longer part is not read.
const ID_BYTES: usize = 64;

/// The parts of the form.
pub(super) struct Upload {
    /// The file; `None` when the form has none.
    pub(super) file: Option<MediaUpload>,
    pub(super) id: Option<MediaId>,
}

impl Upload {
    /// Reads the form.
    ///
    /// # Errors
    /// Those of [`form::stream_parts`]; `payload.too.large`; `data.type.invalid` for an id that is no
    /// UUID; those of the use case.
    pub(super) async fn read(call: &Call, body: LongBody<'_>) -> Result<Self, ApiError> {
        let (media, most) = (&call.services().media, call.settings().media_limit);
        let (mut file, mut size) = (None, 0_usize);
        let mut id: Option<Vec<u8>> = None;
        let take = async |name, piece: &[u8]| {
            if name == ID {
                let id = id.get_or_insert_default();
                id.extend(piece.iter().take(ID_BYTES.saturating_sub(id.len())));
                return Ok(());
            }
            size = size.saturating_add(piece.len());
            if size > most {
                return Err(Code::PayloadTooLarge.into());
            }
            let upload = match &mut file {
                Some(upload) => upload,
                None => file.insert(media.begin(call.actor()).await?),
            };
            Ok(upload.append(piece).await?)
        };
        form::stream_parts(call.request().headers(), body, &[FILE, ID], take).await?;
        let id = form::id(id.as_deref()).map_err(|fault| ApiError::invalid(vec![fault]))?;
        Ok(Self { file, id: id.map(MediaId) })
    }
}
