//! Places of photos.

use std::{io, path::PathBuf};

use thiserror::Error;

/// Where photos are stored. `docs/operating.md` describes the setting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// In a folder, which is created when it is missing.
    Folder(PathBuf),
    /// In the memory of the process; lost at its end.
    Memory,
    /// In a bucket of S3 or a compatible server. Region, endpoint and credentials come from the
    /// environment.
    S3 {
        /// The name of the bucket.
        bucket: String,
        /// The prefix of object names; may be empty.
        prefix: String,
    },
}

/// The place cannot be used.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The folder cannot be created or read.
    #[error("cannot use the folder {path} for photos: {cause}", path = path.display())]
    Folder {
        /// The path of the folder.
        path: PathBuf,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// The environment variables for S3 are incomplete or contradict each other.
    #[error("cannot use S3 for photos")]
    S3,
    /// The program was built without the feature `s3`.
    #[error("this program was built without S3")]
    NoS3,
}
