//! Charts for tables, readable on light and dark pages.

mod bars;
mod goals;
mod lines;

pub use bars::bars;
pub use goals::goals;
pub use lines::{Axis, Series, lines};

use std::fmt::Write as _;

/// A horizontal bar.
#[derive(Clone, Debug)]
pub struct Bar {
    /// The label on its left.
    pub label: String,
    /// Its length; more is better.
    pub value: f64,
    /// The text beside it.
    pub text: String,
}

const WIDTH: f64 = 960.0;
const MARGIN: f64 = 20.0;

/// Where the first line below the title is.
const TOP: f64 = 64.0;

/// The height of a line with a bar.
const LINE: f64 = 26.0;

/// How thick a bar is.
const THICK: f64 = 14.0;

const STYLE: &str = "text{font:13px system-ui,sans-serif;fill:#1f2328}\
    .page{fill:#fff;stroke:#d0d7de}.title{font-size:16px;font-weight:600}\
    .faint{fill:#59636e;font-size:12px}.rule{stroke:#8c959f}.grid{stroke:#d0d7de;stroke-width:.5}\
    .met{fill:#1a7f37}.missed{fill:#cf222e}.plain{fill:#0969da}\
    @media(prefers-color-scheme:dark){text{fill:#f0f6fc}.page{fill:#0d1117;stroke:#3d444d}\
    .faint{fill:#9198a1}.rule{stroke:#656c76}.grid{stroke:#3d444d}\
    .met{fill:#3fb950}.missed{fill:#f85149}.plain{fill:#4493f8}}";

/// A chart under construction.
struct Picture {
    height: f64,
    title: String,
    body: String,
}

impl Picture {
    fn new(title: &str, height: f64) -> Self {
        let mut picture = Self { height, title: title.to_owned(), body: String::new() };
        picture.text(MARGIN, 30.0, "title", "start", title);
        picture
    }

    /// Text whose `anchor` (start, middle, end) is at `x`.
    fn text(&mut self, x: f64, y: f64, class: &str, anchor: &str, text: &str) {
        let text = escaped(text);
        writeln!(
            self.body,
            r#"<text x="{x:.1}" y="{y:.1}" class="{class}" text-anchor="{anchor}">{text}</text>"#
        )
        .unwrap();
    }

    fn line(&mut self, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2], class: &str) {
        writeln!(
            self.body,
            r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" class="{class}"/>"#
        )
        .unwrap();
    }

    /// A bar between two places in any order, in the middle of the line at `y`.
    fn bar(&mut self, from: f64, to: f64, y: f64, class: &str) {
        let (left, width) = (from.min(to), (to - from).abs().max(2.0));
        let y = y + (LINE - THICK) / 2.0;
        writeln!(
            self.body,
            r#"<rect x="{left:.1}" y="{y:.1}" width="{width:.1}" height="{THICK}" rx="2" class="{class}"/>"#
        )
        .unwrap();
    }

    fn finish(self) -> String {
        let Self { height, title, body } = self;
        let title = escaped(&title);
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">
<title>{title}</title>
<style>{STYLE}</style>
<rect x=".5" y=".5" width="{}" height="{}" rx="6" class="page"/>
{body}</svg>
"#,
            WIDTH - 1.0,
            height - 1.0,
        )
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
