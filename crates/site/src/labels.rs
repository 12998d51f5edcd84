//! Labels of points: for the page, and for the file that `patrol labels` writes.

use std::vec;

use askama::Template;
use futures_util::{
    Stream, StreamExt as _, TryStreamExt as _,
    stream::{self, BoxStream},
};
use patrol_domain::{
    StoreError, Timestamp,
    ids::{LocationId, Uuid},
    list::{Condition, Direction, Listing, Membership, Part, Query, Sort, Test},
    point::{Point, PointFilter, PointList, PointSort},
};

use crate::{
    PublicUrl,
    texts::{Language, Texts},
};

/// How many labels are made at once. A QR code of the largest size takes some milliseconds.
const AT_ONCE: usize = 32;

/// Where the labels stand in the template. No value of a page has this text, because `<` is escaped.
const PLACE: &str = "<!--labels-->";

/// The points of a location, or those of them with these ids, in the order of their names.
#[must_use]
pub fn points_to_label(
    location: LocationId,
    chosen: Vec<Uuid>,
    now: Timestamp,
) -> Query<PointList> {
    let any = |filter, ids| Condition::Is(filter, Test::Ids(Membership::Any, ids));
    let mut condition = vec![any(PointFilter::Location, vec![location.0])];
    if !chosen.is_empty() {
        condition.push(any(PointFilter::Id, chosen));
    }
    Query {
        sort: vec![Sort { property: PointSort::Name, direction: Direction::Ascending }],
        in_parts: true,
        ..Query::of(Condition::All(condition), now)
    }
}

/// Why labels cannot be written: a defect.
pub(crate) fn defect(error: impl ToString) -> StoreError {
    StoreError::Internal(error.to_string())
}

/// A document in parts, so that a location may have any number of labels.
pub type LabelsDocument = BoxStream<'static, Result<String, StoreError>>;

#[derive(Template)]
#[template(path = "label.html")]
struct Label<'a> {
    name: &'a str,
    code: &'a str,
    /// The QR code; `None` when the code is too long for one.
    svg: Option<String>,
    too_long: &'a str,
}

/// What all labels have in common.
#[derive(Clone)]
pub(crate) struct LabelWriter {
    origin: String,
    too_long: String,
}

impl LabelWriter {
    pub(crate) fn new(url: &PublicUrl, t: &Texts) -> Self {
        Self { origin: url.to_string(), too_long: t.label_too_long.to_string() }
    }

    /// The labels of those points that have a code.
    pub(crate) fn write(&self, points: &[Point]) -> Result<String, StoreError> {
        let mut html = String::new();
        for Point { name, qr_code, .. } in points {
            if let Some(code) = qr_code {
                let svg = patrol_label::svg(&self.origin, code).ok();
                let label = Label { name, code, svg, too_long: &self.too_long };
                label.render_into(&mut html).map_err(defect)?;
            }
        }
        Ok(html)
    }
}

/// The points that have a code, some at a time. `held` is dropped at the end.
pub(crate) fn some_at_a_time<H: Send + 'static>(
    points: Listing<Point>,
    held: H,
) -> impl Stream<Item = Result<Vec<Point>, StoreError>> + Send {
    let state = (points, Vec::new().into_iter(), held);
    stream::try_unfold(state, async |(mut points, mut rows, held)| {
        let next = next(&mut points, &mut rows).await?;
        Ok(next.map(|next| (next, (points, rows, held))))
    })
}

async fn next(
    points: &mut Listing<Point>,
    rows: &mut vec::IntoIter<Point>,
) -> Result<Option<Vec<Point>>, StoreError> {
    loop {
        let with_code = rows.filter(|point| point.qr_code.is_some());
        let next: Vec<_> = with_code.take(AT_ONCE).collect();
        if !next.is_empty() {
            return Ok(Some(next));
        }
        match points.try_next().await? {
            Some(Part::Rows(more)) => *rows = more.into_iter(),
            Some(Part::Total(_)) => return Ok(None),
            None => return Err(StoreError::Internal("a list ended without its total".to_owned())),
        }
    }
}

/// The document with these labels. `page` makes the page around them, and is told whether there are any.
pub(crate) async fn document<P: Template>(
    labels: impl Stream<Item = Result<String, StoreError>> + Send + 'static,
    page: impl FnOnce(bool) -> P,
) -> Result<LabelsDocument, StoreError> {
    let mut labels = labels.boxed();
    let first = labels.try_next().await?;
    let page = page(first.is_some()).render().map_err(defect)?;
    let (head, tail) = page.split_once(PLACE).unwrap_or((&page, ""));
    let head = [head.to_owned(), first.unwrap_or_default()].map(Ok);
    let tail = [Ok(tail.to_owned())];
    Ok(stream::iter(head).chain(labels).chain(stream::iter(tail)).boxed())
}

#[derive(Template)]
#[template(path = "labels_file.html")]
struct File<'a> {
    t: &'a Texts,
    code: &'a str,
    heading: String,
    style: &'static str,
    has_labels: bool,
}

/// The languages of the site, by their BCP 47 tags. The first is the default.
pub fn language_codes() -> impl Iterator<Item = &'static str> {
    Language::all().map(|language| language.code)
}

/// A file with the labels of these points, which needs no other file: the page `/locations/{id}/labels`
/// without its navigation. `language` is one of [`language_codes`], else the default is taken.
///
/// # Errors
/// When the points cannot be read.
pub async fn labels_file(
    points: Listing<Point>,
    location: &str,
    language: &str,
    url: &PublicUrl,
) -> Result<LabelsDocument, StoreError> {
    let language = Language::named(language).unwrap_or_else(Language::usual);
    let t = &language.texts;
    let writer = LabelWriter::new(url, t);
    let labels = some_at_a_time(points, ())
        .and_then(move |points| std::future::ready(writer.write(&points)));
    let heading = t.labels_of.with(location);
    let style = crate::assets::STYLE;
    document(labels, |has_labels| File { t, code: language.code, heading, style, has_labels }).await
}
