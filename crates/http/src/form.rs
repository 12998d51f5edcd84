//! Reads forms: `multipart/form-data` (RFC 7578).

use std::{collections::HashSet, convert::Infallible};

use actix_web::http::header::HeaderMap;
use bytes::Bytes;
use futures_core::Stream;
use futures_util::{future::try_join, stream};
use multer::Multipart;
use patrol_domain::ids::{self, Uuid};
use tokio::sync::mpsc;

use crate::{
    body::LongBody,
    error::{ApiError, Code, Detail},
    extract::media,
};

/// The maximum number of parts, so that a body full of empty parts costs little.
const MAX_PARTS: usize = 100;

/// The contents of the parts with these names of the form in `body`, at most `limit` bytes each; `None`
/// when there is no such part. Other parts are skipped. The file name and the declared type are ignored.
///
/// # Errors
/// `payload.too.large` for a larger part; `input.data.invalid` when the body is not a form, or a part
/// occurs twice.
pub(crate) async fn parts<const N: usize>(
    headers: &HeaderMap,
    body: Bytes,
    names: [&'static str; N],
    limit: usize,
) -> Result<[Option<Vec<u8>>; N], ApiError> {
    let body = stream::iter([Ok::<_, Infallible>(body)]);
    let mut found: [Option<Vec<u8>>; N] = [const { None }; N];
    let take = async |name, piece: &[u8]| {
        if let Some((_, part)) = names.iter().zip(&mut found).find(|(known, _)| **known == name) {
            part.get_or_insert_default().extend_from_slice(piece);
        }
        Ok(())
    };
    each_part(headers, body, &names, take).await?;
    if found.iter().flatten().any(|part| part.len() > limit) {
        return Err(Code::PayloadTooLarge.into());
    }
    Ok(found)
}

/// Reads a form with large parts, piece by piece, as [`each_part`] does.
///
/// # Errors
/// Those of [`each_part`] and of the body.
pub(crate) async fn stream_parts(
    headers: &HeaderMap,
    mut body: LongBody<'_>,
    names: &[&'static str],
    take: impl AsyncFnMut(&'static str, &[u8]) -> Result<(), ApiError>,
) -> Result<(), ApiError> {
    // The parser needs a stream that another thread could read, which the body of a request is not.
    let (sender, mut receiver) = mpsc::channel(1);
    let feed = async move {
        while let Some(piece) = body.next().await? {
            // After the end of the form, the rest of the body is read and dropped.
            drop(sender.send(Ok::<_, Infallible>(piece)).await);
        }
        Ok(())
    };
    let pieces = stream::poll_fn(move |context| receiver.poll_recv(context));
    try_join(feed, each_part(headers, pieces, names, take)).await.map(drop)
}

/// A form with one file.
#[derive(Debug)]
pub struct FileForm {
    /// The content of the file; `None` when the form has none, or an empty one, as browsers send it when
    /// no file was chosen.
    pub file: Option<Vec<u8>>,
    /// The other parts, in their order: names and texts.
    pub fields: Vec<(String, String)>,
}

impl FileForm {
    /// Reads the form in `body`. `file` is the name of the part with the file, `limit` the most bytes of
    /// the file, and `text_limit` those of each other part.
    ///
    /// # Errors
    /// `payload.too.large` for a larger part; `input.data.invalid` when the body is not a form, the form
    /// has two files, or another part is not UTF-8.
    pub(crate) async fn read(
        headers: &HeaderMap,
        body: Bytes,
        file: &str,
        limit: usize,
        text_limit: usize,
    ) -> Result<Self, ApiError> {
        let Some(boundary) = media::boundary(headers) else { return Err(malformed()) };
        let mut form = Multipart::new(stream::iter([Ok::<_, Infallible>(body)]), boundary);
        let mut read = Self { file: None, fields: Vec::new() };
        while let Some(part) = form.next_field().await.map_err(|_| malformed())? {
            let Some(name) = part.name().map(str::to_owned) else { return Err(malformed()) };
            let content = Vec::from(part.bytes().await.map_err(|_| malformed())?);
            let is_file = name == file;
            if content.len() > if is_file { limit } else { text_limit } {
                return Err(Code::PayloadTooLarge.into());
            }
            if !is_file {
                if read.fields.len() == MAX_PARTS {
                    return Err(malformed());
                }
                let text = String::from_utf8(content).map_err(|_| malformed())?;
                read.fields.push((name, text));
            } else if !content.is_empty() && read.file.replace(content).is_some() {
                return Err(malformed());
            }
        }
        Ok(read)
    }
}

/// Calls `take` with each piece of the parts with these names, and with an empty piece at the beginning
/// of such a part. Other parts are skipped.
///
/// # Errors
/// `input.data.invalid` when the body is not a form, or one of the parts occurs twice; those of `take`.
async fn each_part(
    headers: &HeaderMap,
    body: impl Stream<Item = Result<Bytes, Infallible>> + Send + 'static,
    names: &[&'static str],
    mut take: impl AsyncFnMut(&'static str, &[u8]) -> Result<(), ApiError>,
) -> Result<(), ApiError> {
    let Some(boundary) = media::boundary(headers) else { return Err(malformed()) };
    let mut form = Multipart::new(body, boundary);
    let (mut seen, mut parts) = (HashSet::new(), 0);
    while let Some(mut part) = form.next_field().await.map_err(|_| malformed())? {
        parts += 1;
        if parts > MAX_PARTS {
            return Err(malformed());
        }
        let Some(name) = names.iter().find(|name| part.name() == Some(**name)) else { continue };
        if !seen.insert(*name) {
            return Err(ApiError::invalid(vec![Detail::new(Code::Unique, *name)]));
        }
        take(name, &[]).await?;
        while let Some(piece) = part.chunk().await.map_err(|_| malformed())? {
            take(name, &piece).await?;
        }
    }
    Ok(())
}

/// The id in the part `id`, if the form has one.
///
/// # Errors
/// `data.type.invalid` when it is no UUID.
pub(crate) fn id(part: Option<&[u8]>) -> Result<Option<Uuid>, Detail> {
    let Some(part) = part else { return Ok(None) };
    match std::str::from_utf8(part).ok().and_then(ids::parse) {
        Some(id) => Ok(Some(id)),
        None => Err(Detail::new(Code::TypeInvalid, "id").with_args(["UUID"])),
    }
}

fn malformed() -> ApiError {
    Code::InputInvalid.into()
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{CONTENT_TYPE, HeaderValue};
    use futures_util::FutureExt;
    use proptest::prelude::*;

    use super::*;
    use crate::{error::Problem, fault_style::FaultStyle};

    fn read(body: &[u8]) -> Result<Option<Vec<u8>>, Box<Problem>> {
        let mut headers = HeaderMap::new();
        let form = HeaderValue::from_static("multipart/form-data; boundary=X");
        headers.insert(CONTENT_TYPE, form);
        // The whole body is there, so the future never waits.
        let read = parts(&headers, Bytes::copy_from_slice(body), ["photo"], 9).now_or_never();
        let problem = |error: ApiError| Box::new(error.problem(&FaultStyle::PLAIN).into_owned());
        read.unwrap().map(|[part]| part).map_err(problem)
    }

    fn one(head: &str, content: &str) -> String {
        format!("--X\r\n{head}\r\n\r\n{content}\r\n")
    }

    const PHOTO: &str = "Content-Disposition: form-data; name=\"photo\"; filename=\"a.png\"\r\n\
                         Content-Type: image/png";
    const OTHER: &str = "Content-Disposition: form-data; name=\"filename\"";

    #[test]
    fn the_part_is_found_among_other_parts() {
        let photo = one(PHOTO, "\0\r\n--Y\r");
        let other = one(OTHER, "photo");
        let bare = one("content-disposition:form-data;name=photo", "\0\r\n--Y\r");
        for body in [
            photo.clone(),
            format!("{other}{photo}"),
            format!("{photo}{other}"),
            format!("preamble\r\n{photo}"),
            bare,
        ] {
            let photo = read(format!("{body}--X--\r\nepilogue").as_bytes());
            assert_eq!(photo.unwrap().as_deref(), Some(b"\0\r\n--Y\r".as_slice()), "{body:?}");
        }
        assert_eq!(read(format!("{}--X--", one(PHOTO, "")).as_bytes()).unwrap(), Some(vec![]));
    }

    #[test]
    fn a_form_without_the_part_is_valid() {
        for body in [
            "--X--\r\n".to_owned(),
            format!("{}--X--", one(OTHER, "photo")),
            format!("{}--X--", one("Content-Disposition: form-data", "photo")),
            format!("{}--X--", one("Content-Type: image/png", "photo")),
        ] {
            assert_eq!(read(body.as_bytes()).unwrap(), None, "{body:?}");
        }
    }

    #[test]
    fn a_malformed_or_incomplete_form_is_invalid() {
        let whole = format!("{}--X--", one(PHOTO, "pixels"));
        for length in 0..whole.len() {
            let body = &whole[..length];
            let problem = read(body.as_bytes()).unwrap_err();
            assert_eq!((problem.code, problem.details), (Code::InputInvalid, vec![]), "{body:?}");
        }
        for body in ["{\"photo\":1}", "--Y\r\n", "--X\n\n--X--", "--Xy--"] {
            assert_eq!(read(body.as_bytes()).unwrap_err().code, Code::InputInvalid, "{body:?}");
        }
        let many = one(OTHER, "").repeat(MAX_PARTS);
        assert_eq!(read(format!("{many}--X--").as_bytes()).unwrap(), None);
        let problem = read(format!("{many}{}--X--", one(OTHER, "")).as_bytes()).unwrap_err();
        assert_eq!(problem.code, Code::InputInvalid);
    }

    #[test]
    fn a_repeated_part_is_invalid() {
        let body = format!("{}{}--X--", one(PHOTO, "a"), one(PHOTO, "a"));
        let problem = read(body.as_bytes()).unwrap_err();
        assert_eq!(problem.code, Code::InputInvalid);
        assert_eq!(problem.details, [Detail::new(Code::Unique, "photo")]);
    }

    #[test]
    fn a_part_may_be_as_large_as_the_limit() {
        let of = |length| format!("{}--X--", one(PHOTO, &"a".repeat(length)));
        assert_eq!(read(of(9).as_bytes()).unwrap(), Some(vec![b'a'; 9]));
        assert_eq!(read(of(10).as_bytes()).unwrap_err().code, Code::PayloadTooLarge);
    }

    fn read_file(body: &[u8]) -> Result<FileForm, Code> {
        let mut headers = HeaderMap::new();
        let form = HeaderValue::from_static("multipart/form-data; boundary=X");
        headers.insert(CONTENT_TYPE, form);
        let form = FileForm::read(&headers, Bytes::copy_from_slice(body), "photo", 9, 5);
        let form = form.now_or_never().unwrap();
        form.map_err(|error| error.problem(&FaultStyle::PLAIN).code)
    }

    #[test]
    fn a_form_has_one_file_and_texts() {
        let form =
            format!("{}{}{}--X--", one(OTHER, "a\r\nb"), one(PHOTO, "\0\u{e9}"), one(OTHER, ""));
        let FileForm { file, fields } = read_file(form.as_bytes()).unwrap();
        assert_eq!(file.as_deref(), Some("\0\u{e9}".as_bytes()));
        let name = || "filename".to_owned();
        assert_eq!(fields, [(name(), "a\r\nb".to_owned()), (name(), String::new())]);
        let none = format!("{}{}--X--", one(PHOTO, ""), one(PHOTO, ""));
        assert_eq!(read_file(none.as_bytes()).unwrap().file, None);
    }

    #[test]
    fn a_form_with_a_file_is_bounded() {
        let refused = |parts: String| read_file(format!("{parts}--X--").as_bytes()).unwrap_err();
        assert_eq!(refused(one(PHOTO, "0123456789")), Code::PayloadTooLarge);
        assert_eq!(refused(one(OTHER, "012345")), Code::PayloadTooLarge);
        assert_eq!(refused(one(PHOTO, "a").repeat(2)), Code::InputInvalid);
        assert_eq!(refused(one(OTHER, "").repeat(MAX_PARTS + 1)), Code::InputInvalid);
        assert_eq!(read_file(b"--X\r\n").unwrap_err(), Code::InputInvalid);
        let mut latin = one(OTHER, "e").into_bytes();
        latin.iter_mut().filter(|byte| **byte == b'e').for_each(|byte| *byte = 0xe9);
        latin.extend(b"--X--");
        assert_eq!(read_file(&latin).unwrap_err(), Code::InputInvalid);
    }

    proptest! {
        #[test]
        fn any_body_is_read_or_refused(
            pieces in proptest::collection::vec(
                proptest::sample::select(vec![
                    "--X", "--", "\r\n", "\r", "photo", "Content-Disposition: form-data; name=",
                    "\"", "\\", ";", "=", ":", "\0", "\u{e9}", "filename",
                ]),
                0..40,
            ),
        ) {
            match read(pieces.concat().as_bytes()) {
                Ok(file) => prop_assert!(file.is_none_or(|file| file.len() <= 9)),
                Err(problem) => prop_assert!(
                    [Code::InputInvalid, Code::PayloadTooLarge].contains(&problem.code)
                ),
            }
        }
    }
}
