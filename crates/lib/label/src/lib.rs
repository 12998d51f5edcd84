//! The QR code on the label of a point: what it says, and its picture as SVG.

use std::fmt::Write as _;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use qrcodegen::{QrCode, QrCodeEcc};

/// Everything but the unreserved characters of RFC 3986, so that each reader decodes the same text.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The most bytes of a QR code of the largest size, at the error correction level M.
const MAX_BYTES: usize = 2331;

/// The margin that readers need on each side, in modules (ISO/IEC 18004).
const QUIET_ZONE: i32 = 4;

/// The code of a point is too long for a QR code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLong {
    /// The most bytes that the code may have, percent-encoded.
    pub max: usize,
}

/// What the QR code says: an address below `origin`, for example
/// `https://patrol.example.org/guard/scan#GATE-1`. The code of the point is percent-encoded.
#[must_use]
pub fn content(origin: &str, code: &str) -> String {
    format!("{origin}/guard/scan#{}", utf8_percent_encode(code, RESERVED))
}

/// The QR code as an SVG element, black on white, with its quiet zone. Its attributes need no style sheet.
///
/// # Errors
/// When the code of the point is too long.
pub fn svg(origin: &str, code: &str) -> Result<String, TooLong> {
    let too_long = TooLong { max: MAX_BYTES.saturating_sub(content(origin, "").len()) };
    let qr = QrCode::encode_text(&content(origin, code), QrCodeEcc::Medium);
    let qr = qr.map_err(|_| too_long)?;
    let side = qr.size().saturating_add(2 * QUIET_ZONE);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {side} {side}\" \
         shape-rendering=\"crispEdges\"><path fill=\"#fff\" d=\"M0 0h{side}v{side}H0z\"/>\
         <path stroke=\"#000\" d=\""
    );
    for y in 0..qr.size() {
        write_row(&mut svg, &qr, y);
    }
    svg.push_str("\"/></svg>");
    Ok(svg)
}

/// Writes one row as strokes of the width 1: a few bytes for each run of dark modules.
fn write_row(svg: &mut String, qr: &QrCode, y: i32) {
    let mut x = 0;
    // The end of the last stroke.
    let mut drawn = None;
    while x < qr.size() {
        let start = x;
        while qr.get_module(x, y) {
            x += 1;
        }
        if x > start {
            let length = x - start;
            // Writing to a string cannot fail.
            let _ = match drawn {
                None => write!(
                    svg,
                    "M{} {}.5h{length}",
                    start.saturating_add(QUIET_ZONE),
                    y.saturating_add(QUIET_ZONE)
                ),
                Some(end) => write!(svg, "m{} 0h{length}", start.saturating_sub(end)),
            };
            drawn = Some(x);
        }
        x += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORIGIN: &str = "https://patrol.example.org";

    /// Draws the strokes of the picture and reads the QR code in it.
    fn read(svg: &str) -> String {
        let side = svg.split('"').nth(3).unwrap().rsplit(' ').next().unwrap().parse().unwrap();
        let path = svg.rsplit("d=\"").next().unwrap().strip_suffix("\"/></svg>").unwrap();
        let mut dark = vec![vec![false; side]; side];
        let (mut x, mut y) = (0, 0);
        let strokes = path.replace('M', "\nM").replace('m', "\nm");
        for stroke in strokes.lines().skip(1) {
            let (start, length) = stroke[1..].split_once('h').unwrap();
            let (across, down) = start.split_once(' ').unwrap();
            let across: usize = across.parse().unwrap();
            if stroke.starts_with('M') {
                (x, y) = (across, down.strip_suffix(".5").unwrap().parse().unwrap());
            } else {
                x += across;
            }
            for _ in 0..length.parse().unwrap() {
                dark[y][x] = true;
                x += 1;
            }
        }
        for margin in [0, 1, 2, 3, side - 4, side - 3, side - 2, side - 1] {
            assert!(!dark[margin].contains(&true) && dark.iter().all(|row| !row[margin]));
        }
        assert!(dark[4][4] && dark[4][side - 5] && dark[side - 5][4], "the margin is wider");
        // Readers need some pixels for each module.
        let pixel = |x: usize, y: usize| if dark[y / 4][x / 4] { 0 } else { 255 };
        let mut image = rqrr::PreparedImage::prepare_from_greyscale(side * 4, side * 4, pixel);
        let (meta, text) = image.detect_grids()[0].decode().unwrap();
        // In the numbers of the standard: M is 0, L 1, H 2, Q 3.
        assert_ne!(meta.ecc_level, 1, "less error correction than M");
        text
    }

    #[test]
    fn the_picture_says_the_address_of_the_code() {
        for (code, said) in [
            ("GATE-1", "GATE-1"),
            ("a.b_c~d", "a.b_c~d"),
            ("#1 & \"2\"?/%", "%231%20%26%20%222%22%3F%2F%25"),
            ("<script>", "%3Cscript%3E"),
            ("Пост", "%D0%9F%D0%BE%D1%81%D1%82"),
            ("🚪", "%F0%9F%9A%AA"),
        ] {
            let svg = svg(ORIGIN, code).unwrap();
            assert_eq!(read(&svg), format!("{ORIGIN}/guard/scan#{said}"));
            assert!(!svg.contains("style"), "a page without inline styles shows it");
        }
    }

    #[test]
    fn the_longest_code_fits_and_one_more_byte_does_not() {
        let max = MAX_BYTES - content(ORIGIN, "").len();
        let longest = "x".repeat(max);
        assert_eq!(read(&svg(ORIGIN, &longest).unwrap()), content(ORIGIN, &longest));
        for code in [longest + "x", "я".repeat(max / 6 + 1), "x".repeat(4000)] {
            assert_eq!(svg(ORIGIN, &code), Err(TooLong { max }));
        }
    }
}
