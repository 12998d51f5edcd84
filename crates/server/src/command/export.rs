//! `patrol export`.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use futures_util::StreamExt;
use patrol_domain::data_set::Export;

use super::is_standard;
use crate::{error::CommandError, output::unwritable, settings::Configuration, wiring::Wiring};

/// Bytes that are written at once.
const BUFFER: usize = 1 << 16;

/// Writes the store to `file`.
pub(super) async fn run(configuration: &Configuration, file: &Path) -> Result<(), CommandError> {
    let wiring = Wiring::for_command(configuration)?;
    let records = wiring.data_sets().export();
    let done = if is_standard(file) {
        write(records, &mut io::stdout().lock(), &unwritable).await
    } else {
        to_file(records, file).await
    };
    wiring.close().await;
    done
}

/// Writes a regular file under another name first, so that an export that fails neither harms the
/// file that was there nor leaves half of one.
async fn to_file(records: Export, file: &Path) -> Result<(), CommandError> {
    let failed = |error: &io::Error| {
        let shown = file.display();
        CommandError::Failed(format!("cannot write {shown}: {error}; check the path and the space"))
    };
    // What stands behind a link is replaced, not the link.
    let target = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    if fs::metadata(&target).is_ok_and(|there| !there.is_file()) {
        let mut out =
            OpenOptions::new().write(true).open(&target).map_err(|error| failed(&error))?;
        return write(records, &mut out, &failed).await;
    }
    let mut draft = Draft::new(&target).map_err(|error| failed(&error))?;
    write(records, &mut draft.file, &failed).await?;
    draft.publish(&target).map_err(|error| failed(&error))
}

async fn write(
    mut records: Export,
    out: &mut impl Write,
    failed: &impl Fn(&io::Error) -> CommandError,
) -> Result<(), CommandError> {
    let mut out = BufWriter::with_capacity(BUFFER, out);
    while let Some(batch) = records.next().await {
        for record in batch? {
            patrol_data_set::write_record(&record, &mut out).map_err(|error| failed(&error))?;
        }
    }
    out.flush().map_err(|error| failed(&error))
}

/// A file that is not yet where it belongs. Dropping it removes it.
struct Draft {
    file: File,
    path: PathBuf,
}

impl Draft {
    /// A new file beside `target`.
    fn new(target: &Path) -> io::Result<Self> {
        let path = target.with_file_name(format!(".patrol-export-{}", std::process::id()));
        let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        Ok(Self { file, path })
    }

    /// Puts it where it belongs, for good.
    fn publish(self, target: &Path) -> io::Result<()> {
        self.file.sync_all()?;
        if let Ok(replaced) = fs::metadata(target) {
            self.file.set_permissions(replaced.permissions())?;
        }
        fs::rename(&self.path, target)?;
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // It is gone when it was published.
        let _ = fs::remove_file(&self.path);
    }
}
