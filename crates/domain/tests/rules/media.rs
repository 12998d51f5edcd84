//! The kinds of media.

use patrol_domain::media::MediaType;
use proptest::prelude::*;

/// A file whose first box has this brand and these further ones.
fn container(brand: &str, others: &[&str]) -> Vec<u8> {
    let length = u8::try_from(16 + 4 * others.len()).unwrap();
    let others = others.concat();
    [&[0, 0, 0, length], b"ftyp".as_slice(), brand.as_bytes(), &[0; 4], others.as_bytes()].concat()
}

#[test]
fn containers_are_recognised_by_their_brands() {
    for (brand, others, expected) in [
        ("heic", &[][..], Some(MediaType::Heic)),
        ("mif1", &["mif1", "heic"], Some(MediaType::Heic)),
        ("mif1", &["mif1", "avif"], None),
        ("isom", &["iso2", "avc1"], Some(MediaType::Mp4)),
        ("mp42", &[], Some(MediaType::Mp4)),
        ("xxxx", &["mp41"], Some(MediaType::Mp4)),
        ("M4A ", &["isom", "mp42"], Some(MediaType::M4a)),
        ("qt  ", &["qt  "], None),
        ("xxxx", &["xxxx", "xhei", "cxxx"], None),
    ] {
        assert_eq!(MediaType::of(&container(brand, others)), expected, "{brand} {others:?}");
    }
    // Brands behind the end of the box are none.
    let behind = [container("xxxx", &[]), b"mp42".to_vec()].concat();
    assert_eq!(MediaType::of(&behind), None);
}

#[test]
fn sound_without_a_tag_is_recognised_by_its_frame() {
    for (frame, expected) in [
        ([0xFF, 0xFB, 0x90], Some(MediaType::Mp3)),
        ([0xFF, 0xFA, 0x90], Some(MediaType::Mp3)),
        ([0xFF, 0xF3, 0x44], Some(MediaType::Mp3)),
        ([0xFF, 0xE3, 0x44], Some(MediaType::Mp3)),
        // Layer II, layer I, no layer (AAC), no version, no bit rate, no sampling rate.
        ([0xFF, 0xFD, 0x90], None),
        ([0xFF, 0xFF, 0x90], None),
        ([0xFF, 0xF1, 0x50], None),
        ([0xFF, 0xEB, 0x90], None),
        ([0xFF, 0xFB, 0xF0], None),
        ([0xFF, 0xFB, 0x00], None),
        ([0xFF, 0xFB, 0x9C], None),
    ] {
        assert_eq!(MediaType::of(&frame), expected, "{frame:x?}");
    }
}

proptest! {
    /// Nothing that begins like text is a picture or a recording.
    #[test]
    fn no_text_but_pdf_is_a_medium(text in "[\\t\\n -~]{0,300}") {
        prop_assume!(!text.starts_with("%PDF-") && text.get(4..8) != Some("ftyp"));
        let is_riff = text.starts_with("RIFF") && text.get(8..12) == Some("WEBP");
        prop_assume!(!is_riff);
        prop_assert_eq!(MediaType::of(text.as_bytes()), None);
    }

    /// Whatever its brands are, a container is no other kind, and only a container needs more than its
    /// first 12 bytes.
    #[test]
    fn any_bytes_are_judged(
        start in proptest::sample::select(vec![
            &b"\0\0\0\x20ftyp"[..], b"\xff\xff\xff\xffftyp", b"\0\0\0\0ftyp", b"\xff", b"ID3", b"RIFF", b"",
        ]),
        bytes in proptest::collection::vec(any::<u8>(), 12..240),
    ) {
        let file = [start, &bytes].concat();
        let kind = MediaType::of(&file);
        if start.ends_with(b"ftyp") {
            let of_containers = [MediaType::Heic, MediaType::Mp4, MediaType::M4a];
            prop_assert!(kind.is_none_or(|kind| of_containers.contains(&kind)));
        } else {
            prop_assert_eq!(kind, MediaType::of(&file[..12]));
        }
    }
}
