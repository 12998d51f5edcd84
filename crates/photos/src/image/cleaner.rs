//! How much is decoded at once.

use std::sync::Arc;

use async_trait::async_trait;
use patrol_domain::{
    StoreError,
    photo::{ImageError, Images, Photo},
};
use tokio::{sync::Semaphore, task::spawn_blocking};

use super::{StrippedImage, Unusable};

/// Cleans pictures on threads of their own, as many at once as memory allows.
pub struct Cleaner {
    /// Most pixels of a picture.
    pixels: u64,
    /// Memory that pictures may take at once, in units of [`UNIT`].
    memory: Arc<Semaphore>,
    /// What may wait for that memory, in the same units.
    waiting: Arc<Semaphore>,
}

/// Memory is counted in KiB.
const UNIT: u64 = 1024;
/// Memory for decoding and encoding, in units: about what one picture of the greatest size takes.
/// One that would take more has all of it for itself.
const MEMORY: u32 = 160 * 1024;
/// The least that is reckoned for a picture, so that many small ones do not take all threads.
const LEAST: u32 = MEMORY / 4;
/// Pictures that may wait, in units: some of the greatest size, many of a usual one.
const WAITING: u32 = 64 * 1024;

impl Cleaner {
    /// Takes pictures of at most `pixels` pixels.
    #[must_use]
    pub fn new(pixels: u64) -> Self {
        let semaphore = |units| Arc::new(Semaphore::new(usize::try_from(units).unwrap_or(1)));
        Self { pixels, memory: semaphore(MEMORY), waiting: semaphore(WAITING) }
    }
}

#[async_trait]
impl Images for Cleaner {
    async fn clean(&self, bytes: Vec<u8>) -> Result<Photo, ImageError> {
        let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let waiting = Arc::clone(&self.waiting)
            .try_acquire_many_owned(units(size))
            .map_err(|_| busy("too many pictures are waiting"))?;
        let limit = self.pixels;
        let stripped = apart(move || StrippedImage::of(&bytes, limit)).await?;
        let memory = Arc::clone(&self.memory)
            .acquire_many_owned(units(stripped.memory).clamp(LEAST, MEMORY))
            .await
            .map_err(|_| busy("the program is stopping"))?;
        drop(waiting);
        let format = stripped.format;
        let bytes = apart(move || {
            // For as long as the work takes, also when nobody waits for it any more.
            let _memory = memory;
            stripped.clean()
        })
        .await?;
        Ok(Photo { format, bytes })
    }
}

/// Does work off the workers. A decoder that panics has met a picture that is none.
async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Unusable> + Send + 'static,
) -> Result<T, ImageError> {
    match spawn_blocking(work).await {
        Ok(done) => done.map_err(|Unusable| ImageError::Unusable),
        Err(error) if error.is_panic() => Err(ImageError::Unusable),
        Err(_) => Err(busy("the program is stopping")),
    }
}

/// Bytes in units, at least one.
fn units(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX).max(1)
}

fn busy(why: &str) -> ImageError {
    ImageError::Busy(StoreError::Unavailable(why.to_owned()))
}
