//! The media of a round: small on its page, and whole at an address of their own.

use std::collections::HashMap;

use actix_web::{Error, HttpRequest, web::Path};
use futures_util::{StreamExt as _, stream};
use patrol_application::Failure;
use patrol_domain::{
    Named as _,
    ids::{MediaId, ReportId, TaskExecutionId, parse},
    list::{Condition, Membership, Page, Part, Query, Test},
    media::MediaType,
    report::{EntryType, ReportFilter},
    task_execution::{Outcome, TaskExecution},
};
use patrol_http::PageError;

use crate::{
    office::{
        list::{self, Address},
        record::id_in,
    },
    pages::{HandlerResult, if_found},
    texts::Texts,
    view,
    visit::SignedIn,
};

/// The most media whose kinds are looked up for one page. Further ones are links.
const MOST: usize = 500;
/// The media that are looked up at once.
const AT_ONCE: usize = 8;

/// The kinds of media, by which a page shows them.
#[derive(Default)]
pub(super) struct Shown(HashMap<MediaId, MediaType>);

/// A medium on a page.
#[derive(Clone)]
pub(super) struct MediaView {
    pub(super) address: String,
    pub(super) text: String,
    /// Whether browsers show it as a picture.
    pub(super) is_picture: bool,
}

impl Shown {
    /// Looks up the kinds of these media. Media that are gone have none.
    ///
    /// # Errors
    /// When the store fails.
    pub(super) async fn read(
        signed_in: &SignedIn,
        media: impl IntoIterator<Item = MediaId>,
    ) -> Result<Self, Error> {
        let service = &signed_in.visit.site.api.media;
        let found = media.into_iter().take(MOST).map(async |id| {
            let found = service.get(signed_in.actor, id).await;
            if_found(found.map(|found| (id, found.record.kind)))
        });
        let found: Vec<_> = stream::iter(found).buffer_unordered(AT_ONCE).collect().await;
        let kinds = found.into_iter().filter_map(Result::transpose).collect::<Result<_, _>>()?;
        Ok(Self(kinds))
    }

    /// Media of a round. `entry`: the entry that names them, if it is known.
    pub(super) fn views(
        &self,
        t: &Texts,
        round: TaskExecutionId,
        media: &[MediaId],
        entry: Option<ReportId>,
    ) -> Vec<MediaView> {
        let view = |(at, id): (usize, &MediaId)| {
            let kind = self.0.get(id);
            let text = match kind {
                Some(MediaType::Jpeg | MediaType::Png | MediaType::Webp | MediaType::Heic) => {
                    &t.round_photo
                }
                Some(MediaType::Mp4) => &t.round_video,
                Some(MediaType::M4a | MediaType::Mp3) => &t.round_sound,
                Some(MediaType::Pdf) | None => &t.round_document,
            };
            let entry = entry.map(|entry| format!("?entry={entry}")).unwrap_or_default();
            MediaView {
                address: format!("/rounds/{round}/media/{id}{entry}"),
                text: text.with(&at.saturating_add(1)),
                is_picture: matches!(
                    kind,
                    Some(MediaType::Jpeg | MediaType::Png | MediaType::Webp)
                ),
            }
        };
        media.iter().enumerate().map(view).collect()
    }
}

/// GET /rounds/{id}/media/{mediaId}: the file, as the API gives it. `entry` in the address names the
/// entry with the medium, so that it is found at once.
pub(crate) async fn show(
    signed_in: SignedIn,
    path: Path<(String, String)>,
    request: HttpRequest,
) -> HandlerResult {
    let (round, medium) = path.into_inner();
    let (round, medium) = (id_in(&round)?, id_in::<MediaId>(&medium)?);
    let api = &signed_in.visit.site.api;
    let found = api.executions.get(signed_in.actor, round).await.map_err(PageError::of)?;
    let is_result = results(&found.record).any(|result| *result == medium);
    if !is_result && !is_reported(&signed_in, round, medium).await? {
        return Err(PageError::of(Failure::NotFound));
    }
    let found = api.media.get(signed_in.actor, medium).await.map_err(PageError::of)?.record;
    let read = async |part| api.media.read(signed_in.actor, &found, part).await;
    let mut answer = patrol_http::media_file(&request, &found, read).await?;
    view::secure_file(answer.headers_mut(), &signed_in.visit.site.settings.public_url);
    Ok(answer)
}

/// The media that are results of a round.
pub(super) fn results(round: &TaskExecution) -> impl Iterator<Item = &MediaId> {
    let actions = round.steps.iter().flat_map(|step| &step.actions);
    actions.flat_map(|action| match &action.outcome {
        Some(Outcome::Media(media)) => media.as_slice(),
        _ => &[],
    })
}

/// Whether an entry of the round names the medium.
async fn is_reported(
    signed_in: &SignedIn,
    round: TaskExecutionId,
    medium: MediaId,
) -> Result<bool, Error> {
    let api = &signed_in.visit.site.api;
    let with_media = [EntryType::Result, EntryType::Note].map(|kind| kind.code());
    let mut conditions =
        vec![Condition::Is(ReportFilter::Type, Test::Codes(Membership::Any, with_media.into()))];
    let entry = Address::of(&signed_in.visit);
    if let Some(entry) = parse(entry.value("entry")) {
        let entry = Test::Ids(Membership::Any, vec![entry]);
        conditions.push(Condition::Is(ReportFilter::Id, entry));
    }
    let all = list::first(signed_in, Condition::All(conditions), None, Page::MAX_LIMIT);
    let query = Query { in_parts: true, ..all };
    let _permit = signed_in.visit.page.begin_long_list(signed_in.session.user.id).await?;
    let mut entries = api.reports.list(signed_in.actor, round, query).map_err(PageError::of)?;
    while let Some(part) = entries.next().await {
        if let Part::Rows(rows) = part.map_err(PageError::of)?
            && rows.iter().any(|report| report.entry.media_ids.contains(&medium))
        {
            return Ok(true);
        }
    }
    Ok(false)
}
