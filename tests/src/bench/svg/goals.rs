//! The distance of each result from its goal.

use super::{Bar, LINE, MARGIN, Picture, THICK, TOP};

/// Where the labels end and the scale begins.
const LEFT: f64 = 300.0;

/// Where the scale ends and the figures start.
const RIGHT: f64 = 560.0;

/// The ends of the scale, as powers of two. Longer bars are cut off.
const ENDS: [f64; 2] = [-2.0, 4.0];

/// Bars from the goal: to the right and green when better, to the left and red when worse. The
/// value of a bar is the result divided by its goal. The scale is logarithmic.
#[must_use]
pub fn goals(title: &str, bars: &[Bar]) -> String {
    let bottom = TOP + 34.0 + LINE * bars.len() as f64;
    let mut picture = Picture::new(title, bottom + MARGIN);
    let hint = "how many times better than its goal (green) or worse (red): a logarithmic scale, cut off at its ends";
    picture.text(MARGIN, TOP - 14.0, "faint", "start", hint);
    let top = TOP + 20.0;
    for (factor, label) in [
        (0.25, "¼"),
        (0.5, "½"),
        (1.0, "goal"),
        (2.0, "2×"),
        (4.0, "4×"),
        (8.0, "8×"),
        (16.0, "16×"),
    ] {
        let x = place(factor);
        picture.text(x, top, "faint", "middle", label);
        picture.line([x, top + 8.0], [x, bottom], if factor == 1.0 { "rule" } else { "grid" });
    }
    for (at, Bar { label, value, text }) in bars.iter().enumerate() {
        let y = top + 12.0 + LINE * at as f64;
        let class = if *value >= 1.0 { "met" } else { "missed" };
        let base = y + (LINE + THICK) / 2.0 - 2.5;
        picture.text(LEFT - 12.0, base, "", "end", label);
        picture.bar(place(1.0), place(*value), y, class);
        picture.text(RIGHT + 12.0, base, "", "start", text);
    }
    picture.finish()
}

fn place(factor: f64) -> f64 {
    let [least, most] = ENDS;
    let power = factor.log2().clamp(least, most);
    LEFT + (RIGHT - LEFT) * (power - least) / (most - least)
}
