//! The name `-` of standard input and output.

use std::path::Path;

/// Whether a file name stands for standard input or output.
pub(super) fn is_standard(file: &Path) -> bool {
    file == Path::new("-")
}
