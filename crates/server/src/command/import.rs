//! `patrol import`.

use std::{
    fs::File,
    io::{self, BufReader, Read, Write},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use patrol_application::{ImageService, Operator};
use patrol_data_set::{Lines, PhotoLookup, read_ahead, refused_line};
use patrol_domain::data_set::{ImportError, MAX_REFUSED_LINES};
use patrol_identity::Argon2Hasher;
use tempfile::TempDir;
use tokio::runtime::Handle;

use super::{existing_photos::existing_photos, standard_stream::is_standard};
use crate::{
    error::CommandError,
    progress::Progress,
    settings::{Configuration, Database},
    store::{self, Access, Store},
    wiring::Wiring,
};

/// The buffer size in bytes.
const BUFFER: usize = 1 << 18;

/// Imports the data set in `file`; with `dry_run` it is only checked.
pub(super) async fn run(
    configuration: &Configuration,
    file: &Path,
    dry_run: bool,
) -> Result<(), CommandError> {
    let start = Instant::now();
    let (input, size) = open(file)?;
    // The folder is kept until the end, because the store of a dry run may be in it.
    let (wiring, _folder) = if dry_run {
        dry_run_store(configuration).await?
    } else {
        (Wiring::for_command(configuration, Access::Create).await?, None)
    };
    let progress = Progress::new(size);
    let reader = BufReader::with_capacity(BUFFER, progress.input(input));
    let nesting = configuration.http.nesting;
    let missing = Arc::new(AtomicU64::new(0));
    let photos = existing_photos(&wiring, &configuration.photos)?;
    let lines = Lines::new(reader, wiring.rules(), nesting, Arc::new(Argon2Hasher))
        .with_photos(lookup(photos, &missing));
    let counted = progress.clone();
    let lines = read_ahead(lines.inspect(move |_| counted.record()));
    let data_sets = wiring.data_sets();
    let imported = if dry_run {
        data_sets.dry_run_import(Operator, lines).await
    } else {
        data_sets.import(Operator, lines).await
    };
    progress.end();
    wiring.close().await;
    let records = imported.map_err(|error| failed(file, error))?.records();
    let seconds = start.elapsed().as_secs_f64();
    let missing = missing.load(Ordering::Relaxed);
    if missing > 0 {
        let _ = writeln!(
            io::stderr(),
            "{missing} users have a photo that is not in the photo store, so it is left out; to keep \
             the photos, copy them to photos_url before the import"
        );
    }
    // The number is not the output of the command. If it cannot be written, the import has still
    // succeeded.
    let _ = if dry_run {
        writeln!(io::stderr(), "{records} records can be imported; nothing was stored")
    } else {
        writeln!(io::stderr(), "imported {records} records in {seconds:.1} s")
    };
    Ok(())
}

/// The store for a dry run: the configured one if it exists, else an empty one in the temporary
/// folder that is returned with it.
async fn dry_run_store(
    configuration: &Configuration,
) -> Result<(Wiring, Option<TempDir>), CommandError> {
    match &configuration.database {
        Database::Sqlite(path) if !path.exists() => {
            let failed = |error: io::Error| {
                CommandError::Failed(format!("cannot create a temporary store: {error}"))
            };
            let folder = TempDir::with_prefix("patrol-").map_err(failed)?;
            let store = store::open_file(&folder.path().join("patrol.db"), Access::Create)?;
            let wiring = Wiring::with_store(Store::Sqlite(store), configuration.limits);
            Ok((wiring, Some(folder)))
        }
        _ => Ok((Wiring::for_command(configuration, Access::Change).await?, None)),
    }
}

/// Looks up photos, and counts those that are missing in `missing`.
fn lookup(photos: ImageService, missing: &Arc<AtomicU64>) -> PhotoLookup {
    let (missing, runtime) = (Arc::clone(missing), Handle::current());
    Box::new(move |photo| {
        let is_stored = runtime.block_on(photos.is_stored(Operator, photo));
        if let Ok(false) = is_stored {
            missing.fetch_add(1, Ordering::Relaxed);
        }
        is_stored.map_err(|error| error.to_string())
    })
}

/// The input, and its size in bytes if it is a file.
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

/// The error of a failed import. An error has a single line, so all other lines of the message are
/// printed here.
fn failed(file: &Path, error: ImportError) -> CommandError {
    let (mut lines, is_all_compared) = match error {
        ImportError::Source(text) => (vec![text], false),
        ImportError::Refused { lines, unread } => {
            let is_all_compared = unread.is_none();
            (lines.iter().map(refused_line).chain(unread).collect(), is_all_compared)
        }
        ImportError::Store(error) => return error.into(),
    };
    lines = lines.iter().flat_map(|text| text.lines()).map(ToOwned::to_owned).collect();
    lines.truncate(MAX_REFUSED_LINES);
    let name = if is_standard(file) { "standard input".into() } else { file.display().to_string() };
    let more = match (lines.len(), is_all_compared) {
        (MAX_REFUSED_LINES, _) => "; further lines may be wrong",
        (_, false) => "; later lines were not compared with the store",
        _ => "",
    };
    let last = lines.pop().unwrap_or_default();
    for line in lines {
        let error = CommandError::Failed(format!("{name}: {line}"));
        let _ = writeln!(io::stderr(), "patrol: {error}");
    }
    CommandError::Failed(format!("{name}: {last}; nothing was imported{more}"))
}
