//! Photos: for any input there is no panic, and a cleaned photo is cleaned again to one of the same
//! format.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use patrol_domain::photo::{CleanImage, Images};
use patrol_photos::Cleaner;
use tokio::runtime::{Builder, Runtime};

/// Small, so that a run decodes many pictures.
const PIXELS: u64 = 1 << 16;

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_current_thread().build().expect("a runtime"));

fuzz_target!(|bytes: &[u8]| {
    let cleaner = Cleaner::new(PIXELS);
    let Ok(CleanImage { photo, .. }) = RUNTIME.block_on(cleaner.clean(bytes.to_vec())) else { return };
    let again = RUNTIME.block_on(cleaner.clean(photo.bytes)).expect("a clean photo");
    assert_eq!(again.photo.format, photo.format);
});
