//! `patrol import`.

use std::{
    fs::File,
    io::{self, BufReader, Read, Write},
    path::Path,
    sync::Arc,
    time::Instant,
};

use patrol_data_set::{Lines, ahead, refusal};
use patrol_domain::data_set::{ImportError, Imported};
use patrol_identity::Argon2Passwords;

use super::is_standard;
use crate::{
    error::CommandError, progress::Progress, settings::Configuration, store::Access, wiring::Wiring,
};

/// Bytes that are read at once.
const BUFFER: usize = 1 << 18;

/// Loads the data set in `file`.
pub(super) async fn run(configuration: &Configuration, file: &Path) -> Result<(), CommandError> {
    let start = Instant::now();
    let (input, size) = open(file)?;
    let wiring = Wiring::for_command(configuration, Access::Make).await?;
    let progress = Progress::new(size);
    let reader = BufReader::with_capacity(BUFFER, progress.input(input));
    let nesting = configuration.http.nesting;
    let lines = Lines::new(reader, wiring.rules(), nesting, Arc::new(Argon2Passwords));
    let counted = progress.clone();
    let lines = lines.inspect(move |_| counted.record());
    let imported = wiring.data_sets().import(ahead(lines)).await;
    progress.end();
    wiring.close().await;
    let Imported { records } = imported.map_err(|error| failed(file, error))?;
    let seconds = start.elapsed().as_secs_f64();
    // Standard output is for answers; when nobody listens, the import is done all the same.
    let _ = writeln!(io::stderr(), "imported {records} records in {seconds:.1} s");
    Ok(())
}

/// The input, and its size if it is a file.
fn open(file: &Path) -> Result<(Box<dyn Read + Send>, Option<u64>), CommandError> {
    if is_standard(file) {
        return Ok((Box::new(io::stdin()), None));
    }
    let unreadable = |error: io::Error| {
        CommandError::Failed(format!("cannot read {}: {error}; check the path", file.display()))
    };
    let opened = File::open(file).map_err(unreadable)?;
    let metadata = opened.metadata().map_err(unreadable)?;
    if metadata.is_dir() {
        return Err(CommandError::Failed(format!("{} is a folder, not a file", file.display())));
    }
    let size = Some(metadata.len()).filter(|_| metadata.is_file());
    Ok((Box::new(opened), size))
}

/// Why nothing was imported.
fn failed(file: &Path, error: ImportError) -> CommandError {
    let why = match error {
        ImportError::Source(line) => line,
        ImportError::Refused { line, faults } => refusal(line, &faults),
        ImportError::Store(error) => return error.into(),
    };
    let name = if is_standard(file) { "standard input".into() } else { file.display().to_string() };
    CommandError::Failed(format!("{name}: {why}; nothing was imported"))
}
