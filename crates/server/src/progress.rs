//! The progress bar of an import, on a terminal only.

use std::{io::Read, time::Duration};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The shortest time between two updates of a bar that counts records.
const TICK: Duration = Duration::from_millis(200);

/// The progress of an import: bytes of a file of known size, records otherwise.
#[derive(Clone)]
pub(crate) struct Progress {
    bar: ProgressBar,
    by_bytes: bool,
}

impl Progress {
    /// A bar for an input of `size` bytes, drawn on standard error if that is a terminal.
    pub(crate) fn new(size: Option<u64>) -> Self {
        let form = match size {
            Some(_) => "{bar:40} {percent:>3} %  {bytes} of {total_bytes}, {eta} left",
            None => "{spinner} {human_pos} records, {elapsed}",
        };
        let bar = ProgressBar::with_draw_target(size, ProgressDrawTarget::stderr());
        // If the template cannot be parsed, the bar has its default style.
        if let Ok(style) = ProgressStyle::with_template(form) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(TICK);
        Self { bar, by_bytes: size.is_some() }
    }

    /// Wraps the input and counts the bytes read.
    pub(crate) fn input(&self, input: impl Read + Send + 'static) -> Box<dyn Read + Send> {
        if self.by_bytes { Box::new(self.bar.wrap_read(input)) } else { Box::new(input) }
    }

    pub(crate) fn record(&self) {
        if !self.by_bytes {
            self.bar.inc(1);
        }
    }

    /// Removes the bar.
    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
    }
}
