//! A randomly changed image is cleaned or refused; the code never panics.

use patrol_domain::photo::ImageError;
use proptest::prelude::*;

use crate::images::sample::{assert_bare, clean, each_held, pixels};

/// Images of all formats.
fn seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = each_held(24, 16, 6).into();
    seeds.extend([
        include_bytes!("../../files/progressive.jpg").to_vec(),
        include_bytes!("../../files/restarts.jpg").to_vec(),
        include_bytes!("../../files/cmyk.jpg").to_vec(),
        include_bytes!("../../files/lossy.webp").to_vec(),
        include_bytes!("../../files/alpha.webp").to_vec(),
        include_bytes!("../../files/palette.png").to_vec(),
        include_bytes!("../../files/animated.webp").to_vec(),
        include_bytes!("../../files/animated.png").to_vec(),
    ]);
    seeds
}

fn changed(seed: &[u8], changes: &[(prop::sample::Index, u8)], moved: (usize, usize)) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for (at, byte) in changes {
        let at = at.index(bytes.len());
        bytes[at] = *byte;
    }
    let (from, length) = (moved.0 % bytes.len(), moved.1);
    let part: Vec<u8> = bytes[from..].iter().copied().take(length).collect();
    let to = moved.1.wrapping_mul(31) % bytes.len();
    bytes.splice(to..to, part);
    bytes
}

proptest! {
    #[test]
    fn a_change_is_kept_clean_or_refused(
        seed in prop::sample::select(seeds()),
        changes in prop::collection::vec(any::<(prop::sample::Index, u8)>(), 0..8),
        moved in (any::<usize>(), 0usize..12),
    ) {
        let bytes = changed(&seed, &changes, moved);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        match runtime.block_on(clean(bytes)) {
            Ok(photo) => {
                assert_bare(&photo);
                prop_assert!(pixels(&photo).width() > 0);
            }
            Err(error) => prop_assert_eq!(error, ImageError::Unusable),
        }
    }
}
