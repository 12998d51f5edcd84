//! Bars that compare one value of several subjects.

use super::{Bar, LINE, MARGIN, Picture, THICK, TOP};

const LEFT: f64 = 320.0;
const RIGHT: f64 = 720.0;

/// Bars from 0. The first one is the reference for the others.
#[must_use]
pub fn bars(title: &str, unit: &str, bars: &[Bar]) -> String {
    let bottom = TOP + LINE * bars.len() as f64;
    let mut picture = Picture::new(title, bottom + MARGIN);
    picture.text(LEFT, TOP - 10.0, "faint", "start", unit);
    picture.line([LEFT, TOP - 2.0], [LEFT, bottom], "rule");
    let longest = bars.iter().map(|bar| bar.value).fold(f64::MIN_POSITIVE, f64::max);
    for (at, Bar { label, value, text }) in bars.iter().enumerate() {
        let y = TOP + LINE * at as f64;
        let base = y + (LINE + THICK) / 2.0 - 2.5;
        let end = LEFT + (RIGHT - LEFT) * value / longest;
        picture.text(LEFT - 12.0, base, "", "end", label);
        picture.bar(LEFT, end, y, if at == 0 { "met" } else { "plain" });
        picture.text(end + 10.0, base, "", "start", text);
    }
    picture.finish()
}
