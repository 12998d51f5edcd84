//! The kinds of media, recognised by their first bytes.

use crate::shared::named::named;

named! {
    /// The kind of a medium. The name is its media type.
    MediaType {
        /// JPEG.
        Jpeg = "image/jpeg", 0;
        /// PNG.
        Png = "image/png", 1;
        /// WebP.
        Webp = "image/webp", 2;
        /// HEIC, as phones make it.
        Heic = "image/heic", 3;
        /// MP4.
        Mp4 = "video/mp4", 4;
        /// Sound in a container of MP4.
        M4a = "audio/mp4", 5;
        /// MP3.
        Mp3 = "audio/mpeg", 6;
        /// PDF.
        Pdf = "application/pdf", 7;
    }
}

/// The brands of MP4, as registered at mp4ra.org: those of its versions, and those that the cameras of
/// phones and browsers write.
const MP4: &[&[u8]] = &[
    b"isom", b"iso2", b"iso3", b"iso4", b"iso5", b"iso6", b"mp41", b"mp42", b"avc1", b"M4V ",
    b"dash", b"MSNV", b"3gp4", b"3gp5", b"3gp6",
];
/// The brands of HEIC: still pictures in HEVC.
const HEIC: &[&[u8]] = &[b"heic", b"heix", b"heim", b"heis"];
/// The brands of M4A.
const M4A: &[&[u8]] = &[b"M4A ", b"M4B "];

impl MediaType {
    /// The number of bytes at the beginning of a file that [`Self::of`] looks at.
    pub const HEAD: usize = 256;

    /// The kind of the file that begins with `head`; `None` for any other file, so that a page or a
    /// script is never stored as a picture.
    #[must_use]
    pub fn of(head: &[u8]) -> Option<Self> {
        match head {
            [0xFF, 0xD8, 0xFF, ..] => Some(Self::Jpeg),
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n', ..] => Some(Self::Png),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::Webp),
            [b'%', b'P', b'D', b'F', b'-', ..] => Some(Self::Pdf),
            [_, _, _, _, b'f', b't', b'y', b'p', ..] => Self::of_container(head),
            [b'I', b'D', b'3', 2..=4, ..] => Some(Self::Mp3),
            [0xFF, second, third, ..] if is_mp3_frame(*second, *third) => Some(Self::Mp3),
            _ => None,
        }
    }

    /// The kind of a container of ISO/IEC 14496-12: its first box names the brand, its version, and
    /// further brands that it fits.
    fn of_container(head: &[u8]) -> Option<Self> {
        let length = u32::from_be_bytes(*head.first_chunk()?);
        let length = usize::try_from(length).ok()?.min(head.len());
        let brand = head.get(8..length.min(12))?;
        let others = head.get(16..length).unwrap_or_default();
        let has = |known: &[&[u8]]| {
            known.contains(&brand) || others.chunks(4).any(|other| known.contains(&other))
        };
        if M4A.contains(&brand) {
            return Some(Self::M4a);
        }
        if has(HEIC) {
            return Some(Self::Heic);
        }
        has(MP4).then_some(Self::Mp4)
    }

    /// The usual ending of the names of such files, without a dot.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Jpeg => "jpg",
            Self::Png => "png",
            Self::Webp => "webp",
            Self::Heic => "heic",
            Self::Mp4 => "mp4",
            Self::M4a => "m4a",
            Self::Mp3 => "mp3",
            Self::Pdf => "pdf",
        }
    }
}

/// Whether these are the second and the third byte of a frame of MPEG layer III, with a version, a
/// bit rate and a sampling rate that exist.
const fn is_mp3_frame(second: u8, third: u8) -> bool {
    let (sync, version, layer) = (second & 0xE0, (second >> 3) & 3, (second >> 1) & 3);
    let (bit_rate, sampling) = (third >> 4, (third >> 2) & 3);
    sync == 0xE0 && version != 1 && layer == 1 && bit_rate != 0 && bit_rate != 15 && sampling != 3
}
