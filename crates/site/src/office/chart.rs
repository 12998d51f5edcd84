//! A bar chart of rounds: completed, late and missed, in SVG. The table beside it says the same.

use askama::{Template, filters::HtmlSafe};

use crate::texts::Texts;

/// The most groups that a chart shows.
pub(crate) const MAX_GROUPS: usize = 62;

/// The width of a chart, the place of the bars in it, and the heights of a bar and of a group, in units of
/// the picture.
const WIDTH: u32 = 720;
const LEFT: u32 = 190;
const LONGEST: u32 = 470;
const BAR: u32 = 8;
const GROUP: u32 = 3 * BAR + 8;
const TOP: u32 = 40;

/// A group of bars.
pub(crate) struct Group {
    pub(crate) label: String,
    pub(crate) completed: u64,
    pub(crate) late: u64,
    pub(crate) missed: u64,
}

#[derive(Template)]
#[template(path = "office/chart.html")]
pub(crate) struct Chart<'a> {
    t: &'a Texts,
    title: String,
    height: u32,
    groups: Vec<Drawn>,
}

impl HtmlSafe for Chart<'_> {}

/// A group with its place.
struct Drawn {
    label: String,
    /// The baseline of the label.
    middle: u32,
    bars: [Bar; 3],
}

struct Bar {
    /// What it counts: the name of its class.
    class: &'static str,
    top: u32,
    width: u32,
    value: u64,
    /// Where the value stands.
    value_at: u32,
}

impl<'a> Chart<'a> {
    /// The chart of these groups; `None` when there are none, or more than [`MAX_GROUPS`].
    pub(crate) fn new(t: &'a Texts, title: String, groups: Vec<Group>) -> Option<Self> {
        if groups.is_empty() || groups.len() > MAX_GROUPS {
            return None;
        }
        let largest = groups.iter().map(|group| group.completed.max(group.late).max(group.missed));
        let largest = largest.max().unwrap_or(0).max(1);
        let mut top = TOP;
        let mut drawn = Vec::with_capacity(groups.len());
        for Group { label, completed, late, missed } in groups {
            let mut at = top;
            let bars = [("completed", completed), ("late", late), ("missed", missed)];
            let bars = bars.map(|(class, value)| {
                let width = width(value, largest);
                let bar = Bar { class, top: at, width, value, value_at: LEFT + width + 6 };
                at += BAR;
                bar
            });
            drawn.push(Drawn { label, middle: top + 2 * BAR, bars });
            top += GROUP;
        }
        Some(Self { t, title, height: top + 8, groups: drawn })
    }
}

/// The length of a bar. A value above 0 can be seen.
fn width(value: u64, largest: u64) -> u32 {
    let length = u128::from(value) * u128::from(LONGEST) / u128::from(largest);
    let length = u32::try_from(length).unwrap_or(LONGEST).min(LONGEST);
    if value > 0 { length.max(1) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texts::Language;

    fn group(label: &str, completed: u64, late: u64, missed: u64) -> Group {
        Group { label: label.to_owned(), completed, late, missed }
    }

    #[test]
    fn bars_are_as_long_as_their_values_and_labels_are_escaped() {
        let t = &Language::usual().texts;
        let groups = vec![group("<script>", 100, 50, 0), group("b", 1, u64::MAX / 2, 0)];
        let chart = Chart::new(t, "Rounds".to_owned(), groups).unwrap();
        let widths: Vec<_> =
            chart.groups.iter().map(|group| group.bars.each_ref().map(|bar| bar.width)).collect();
        assert_eq!(widths, [[1, 1, 0], [1, LONGEST, 0]]);
        let html = chart.render().unwrap();
        assert!(html.contains("&#60;script&#62;") && !html.contains("<script"), "{html}");
        assert!(Chart::new(t, String::new(), Vec::new()).is_none());
    }
}
