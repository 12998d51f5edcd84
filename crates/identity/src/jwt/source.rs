//! The source of an identity provider's keys: a JWK set behind a URL or in a file.

use std::{fmt, path::PathBuf, str::FromStr, time::Duration};

use futures_util::StreamExt;
use reqwest::{Client, Url};
use thiserror::Error;
use tokio::io::AsyncReadExt;

/// The most time that a provider may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// The most bytes of a key set; enough for hundreds of keys.
const LONGEST: usize = 1 << 20;

/// The place of a key set. A URL may contain a password, so [`fmt::Debug`] hides it.
#[derive(Clone, PartialEq, Eq)]
pub enum KeySource {
    /// Behind an `http` or `https` URL.
    Url(Url),
    /// The path of a file.
    File(PathBuf),
}

/// The keys could not be read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum KeysError {
    /// The URL or the file cannot be read.
    #[error("the keys of the identity provider cannot be read: {0}")]
    Unreadable(String),
    /// The content has no key that can verify a token.
    #[error("the keys of the identity provider are no JWK set with a usable key")]
    Unusable,
}

impl fmt::Debug for KeySource {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url(_) => out.debug_tuple("Url").finish_non_exhaustive(),
            Self::File(path) => out.debug_tuple("File").field(path).finish(),
        }
    }
}

impl FromStr for KeySource {
    type Err = String;

    /// A text that starts with a scheme is a URL, any other text a file path.
    fn from_str(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("is empty".to_owned());
        }
        if !text.contains("://") {
            return Ok(Self::File(text.into()));
        }
        let url = Url::parse(text).map_err(|error| error.to_string())?;
        match url.scheme() {
            "http" | "https" => Ok(Self::Url(url)),
            _ => Err("is neither a file nor an http or https URL".to_owned()),
        }
    }
}

impl KeySource {
    /// The HTTP client that fetches the keys. An `https` URL may redirect only to another `https`
    /// URL.
    pub(super) fn client(&self) -> Result<Client, KeysError> {
        let only = matches!(self, Self::Url(url) if url.scheme() == "https");
        let built = Client::builder().timeout(PATIENCE).https_only(only).build();
        // A URL may contain a password, so it is removed from errors.
        built.map_err(|error| KeysError::Unreadable(error.without_url().to_string()))
    }

    /// Reads the current content.
    pub(super) async fn read(&self, client: &Client) -> Result<Vec<u8>, KeysError> {
        match self {
            Self::Url(url) => fetch(client, url).await,
            Self::File(path) => {
                let told = |error: std::io::Error| KeysError::Unreadable(error.to_string());
                let file = tokio::fs::File::open(path).await.map_err(told)?;
                let mut bytes = Vec::new();
                let most = u64::try_from(LONGEST).unwrap_or(u64::MAX);
                file.take(most).read_to_end(&mut bytes).await.map_err(told)?;
                Ok(bytes)
            }
        }
    }
}

async fn fetch(client: &Client, url: &Url) -> Result<Vec<u8>, KeysError> {
    let told = |error: reqwest::Error| KeysError::Unreadable(error.without_url().to_string());
    let answer = client.get(url.clone()).send().await.map_err(told)?;
    let mut parts = answer.error_for_status().map_err(told)?.bytes_stream();
    let mut bytes = Vec::new();
    while let Some(part) = parts.next().await {
        bytes.extend_from_slice(&part.map_err(told)?);
        if bytes.len() > LONGEST {
            return Err(KeysError::Unreadable("it is longer than 1 MiB".to_owned()));
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_or_a_path_is_told_by_its_scheme() {
        assert_eq!("keys/jwks.json".parse(), Ok(KeySource::File("keys/jwks.json".into())));
        let url = "https://id.example/keys?x=1";
        assert_eq!(url.parse(), Ok(KeySource::Url(Url::parse(url).unwrap())));
        for wrong in ["", "ftp://id.example/keys", "https://"] {
            assert!(wrong.parse::<KeySource>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn nothing_shows_what_a_url_keeps_secret() {
        let source: KeySource = "https://anna:sesame@id.example/keys?key=sesame".parse().unwrap();
        let shown = format!("{source:?} {source:#?}");
        assert!(shown.contains("Url") && !shown.contains("sesame"), "{shown}");
    }
}
