//! Limits how many images are decoded at once.

use std::sync::Arc;

use async_trait::async_trait;
use patrol_domain::{
    StoreError,
    photo::{CleanImage, ImageError, Images, MAX_CODES_PIXELS, Photo},
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task::spawn_blocking,
};

use super::{
    codes,
    pixels::upright,
    stripped::{StrippedImage, Unusable},
};

/// Cleans images on blocking threads, as many at once as the memory budget allows.
pub struct Cleaner {
    /// The most pixels of an image.
    pixels: u64,
    /// The memory budget of images in work, in units of [`UNIT`].
    memory: Arc<Semaphore>,
    /// The budget of images that wait for memory, in the same units.
    waiting: Arc<Semaphore>,
}

/// Memory is counted in KiB.
const UNIT: u64 = 1024;
/// The budget for decoding and encoding, in units: about what one image of the greatest size takes.
/// An image that needs more takes the whole budget and runs alone.
const MEMORY: u32 = 160 * 1024;
/// The least budget for one image, so that many small ones do not take all threads.
const LEAST: u32 = MEMORY / 4;
/// The budget of waiting images, in units: some of the greatest size, or many of a usual size.
const WAITING: u32 = 64 * 1024;

impl Cleaner {
    /// Accepts images of at most `pixels` pixels.
    #[must_use]
    pub fn new(pixels: u64) -> Self {
        let semaphore = |units| Arc::new(Semaphore::new(usize::try_from(units).unwrap_or(1)));
        Self { pixels, memory: semaphore(MEMORY), waiting: semaphore(WAITING) }
    }

    /// Strips an image of at most `limit` pixels, and waits for the memory to decode it, and
    /// `further` bytes for each pixel.
    async fn admit(
        &self,
        bytes: Vec<u8>,
        limit: u64,
        further: u64,
    ) -> Result<(StrippedImage, OwnedSemaphorePermit), ImageError> {
        let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let waiting = Arc::clone(&self.waiting)
            .try_acquire_many_owned(units(size))
            .map_err(|_| busy("too many pictures are waiting"))?;
        let stripped = apart(move || StrippedImage::of(&bytes, limit)).await?;
        let pixels = u64::from(stripped.width) * u64::from(stripped.height);
        let needed = stripped.memory.saturating_add(pixels.saturating_mul(further));
        let memory = Arc::clone(&self.memory)
            .acquire_many_owned(units(needed).clamp(LEAST, MEMORY))
            .await
            .map_err(|_| busy("the program is stopping"))?;
        drop(waiting);
        Ok((stripped, memory))
    }
}

#[async_trait]
impl Images for Cleaner {
    async fn clean(&self, bytes: Vec<u8>) -> Result<CleanImage, ImageError> {
        let (stripped, memory) = self.admit(bytes, self.pixels, 0).await?;
        let StrippedImage { format, width, height, orientation, .. } = stripped;
        let (width, height) = upright(orientation, width, height);
        let bytes = apart(move || {
            // Held until the work ends, even when the client has gone.
            let _memory = memory;
            stripped.clean()
        })
        .await?;
        Ok(CleanImage { photo: Photo { format, bytes }, width, height })
    }

    async fn codes(&self, bytes: Vec<u8>) -> Result<Vec<String>, ImageError> {
        let admitted = self.admit(bytes, MAX_CODES_PIXELS, codes::BYTES_PER_PIXEL).await;
        let (stripped, memory) = admitted?;
        apart(move || {
            let _memory = memory;
            codes::read(&stripped.decode()?)
        })
        .await
    }
}

/// Runs work on a blocking thread. When a decoder panics, the image counts as unusable.
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use image::{ExtendedColorType, ImageEncoder, codecs::webp::WebPEncoder};
    use tokio::time::timeout;

    use super::*;

    #[tokio::test]
    async fn an_image_above_the_budget_runs_alone() {
        let mut webp = Vec::new();
        let encoder = WebPEncoder::new_lossless(&mut webp);
        encoder.write_image(&vec![0; 9_000_000], 3000, 3000, ExtendedColorType::L8).unwrap();
        let cleaner = Cleaner::new(9_000_000);
        let other = Arc::clone(&cleaner.memory).acquire_owned().await.unwrap();
        let mut cleaned = cleaner.clean(webp);
        assert!(timeout(Duration::from_secs(2), &mut cleaned).await.is_err());
        drop(other);
        cleaned.await.unwrap();
    }
}
