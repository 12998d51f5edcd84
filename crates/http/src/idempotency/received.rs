//! The body of a request with a key, read before its handler runs.

use std::{
    future::ready,
    io::{self, SeekFrom},
};

use actix_http::BoxedPayloadStream;
use actix_web::{dev::Payload, error::PayloadError};
use bytes::Bytes;
use futures_util::stream;
use patrol_domain::{StoreError, idempotency::Digest};
use sha2::{Digest as _, Sha256};
use tokio::{
    fs::File,
    io::{AsyncReadExt as _, AsyncSeekExt as _, AsyncWriteExt as _},
    task::spawn_blocking,
};

use crate::{body::LongBody, budget::Share, error::ApiError};

/// How many bytes of a file the handler gets at once.
const PIECE: usize = 64 << 10;

/// A body that was read.
pub(super) struct Received {
    /// The digest of the body.
    pub(super) digest: Digest,
    /// The body once more, for the handler.
    pub(super) payload: Payload,
    /// The memory of the body, which stays until the answer.
    pub(super) memory: Option<Share>,
}

impl Received {
    /// A body that is held in memory.
    pub(super) fn in_memory(body: Bytes, memory: Share) -> Self {
        let digest = Sha256::digest(&body).into();
        let payload = if body.is_empty() {
            Payload::None
        } else {
            let whole: BoxedPayloadStream = Box::pin(stream::once(ready(Ok(body))));
            Payload::Stream { payload: whole }
        };
        Self { digest, payload, memory: Some(memory) }
    }

    /// Reads a long body into a file without a name.
    ///
    /// # Errors
    /// Those of [`LongBody::next`]; `service.unavailable` when the file cannot be written.
    pub(super) async fn in_a_file(mut body: LongBody<'_>) -> Result<Self, ApiError> {
        let file = spawn_blocking(tempfile::tempfile).await.map_err(io::Error::other);
        let mut file = File::from_std(file.and_then(|file| file).map_err(unavailable)?);
        let mut digest = Sha256::new();
        while let Some(piece) = body.next().await? {
            digest.update(&piece);
            file.write_all(&piece).await.map_err(unavailable)?;
        }
        file.flush().await.map_err(unavailable)?;
        file.seek(SeekFrom::Start(0)).await.map_err(unavailable)?;
        let pieces: BoxedPayloadStream = Box::pin(stream::try_unfold(file, next_piece));
        let digest = digest.finalize().into();
        Ok(Self { digest, payload: Payload::Stream { payload: pieces }, memory: None })
    }
}

async fn next_piece(mut file: File) -> Result<Option<(Bytes, File)>, PayloadError> {
    let mut piece = vec![0; PIECE];
    let read = file.read(&mut piece).await.map_err(PayloadError::Io)?;
    piece.truncate(read);
    Ok((read > 0).then(|| (Bytes::from(piece), file)))
}

fn unavailable(error: io::Error) -> ApiError {
    StoreError::Unavailable(format!("the folder for temporary files: {}", error.kind())).into()
}
