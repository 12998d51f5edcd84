//! Buckets of S3 and of compatible servers.

use std::sync::Arc;

use object_store::ObjectStore;

use crate::place::OpenError;

/// The objects of the bucket whose names begin with `prefix`.
#[cfg(not(feature = "s3"))]
pub(crate) fn open(
    _: &str,
    _: &str,
    _: impl IntoIterator<Item = (String, String)>,
) -> Result<Arc<dyn ObjectStore>, OpenError> {
    Err(OpenError::NoS3)
}

#[cfg(feature = "s3")]
pub(crate) use client::open;

#[cfg(feature = "s3")]
mod client {
    use std::time::Duration;

    use object_store::{
        BackoffConfig, ClientConfigKey, RetryConfig,
        aws::{AmazonS3Builder, AmazonS3ConfigKey},
        prefix::PrefixStore,
    };

    use super::*;

    /// The most time that S3 may take to accept a connection.
    const CONNECT: &str = "3 seconds";
    /// The most time that S3 may take to answer.
    const ANSWER: &str = "10 seconds";
    /// How often, and for how long, a request to S3 is repeated. Kept small, because the client of
    /// Patrol can repeat its request as well.
    const AGAIN: usize = 2;
    const AGAIN_FOR: Duration = Duration::from_secs(5);

    /// The objects of the bucket whose names begin with `prefix`.
    pub(crate) fn open(
        bucket: &str,
        prefix: &str,
        environment: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Arc<dyn ObjectStore>, OpenError> {
        let client = |key| AmazonS3ConfigKey::Client(key);
        let s3 = configured(environment)
            .with_bucket_name(bucket)
            .with_config(client(ClientConfigKey::ConnectTimeout), CONNECT)
            .with_config(client(ClientConfigKey::Timeout), ANSWER)
            .with_retry(RetryConfig {
                max_retries: AGAIN,
                retry_timeout: AGAIN_FOR,
                backoff: BackoffConfig {
                    init_backoff: Duration::from_millis(100),
                    max_backoff: Duration::from_secs(1),
                    base: 2.0,
                },
            })
            .build()
            // The error would quote the environment, which has secrets.
            .map_err(|_| OpenError::S3)?;
        Ok(Arc::new(PrefixStore::new(s3, prefix)))
    }

    /// The S3 client that the environment describes, with the variable names that all S3 clients
    /// use.
    fn configured(environment: impl IntoIterator<Item = (String, String)>) -> AmazonS3Builder {
        let settings = environment.into_iter().filter_map(|(name, value)| {
            let known = name.starts_with("AWS_").then(|| name.to_ascii_lowercase().parse().ok());
            Some((known.flatten()?, value))
        });
        settings.fold(AmazonS3Builder::new(), |s3, (key, value)| s3.with_config(key, value))
    }
}
