//! `patrol check`.

use futures_util::StreamExt;
use patrol_application::{ImageCheck, Operator};
use patrol_domain::{data_set::Record, photo::ImageOwner};

use super::existing_photos::existing_photos;
use crate::{
    error::CommandError,
    output,
    settings::{Configuration, PhotoSettings},
    store::Access,
    wiring::Wiring,
};

/// Removes photos and files of media without an owner, or with `dry_run` prints them. Fails when photos
/// are missing, and warns about their owners.
pub(super) async fn run(configuration: &Configuration, dry_run: bool) -> Result<(), CommandError> {
    let access = if dry_run { Access::Read } else { Access::Change };
    let check = async |wiring: &Wiring| check(wiring, &configuration.photos, dry_run).await;
    let checked = Wiring::run(configuration, access, check).await?;
    let ImageCheck { objects, unowned, missing } = checked;
    for owner in &missing {
        match owner {
            ImageOwner::User(user) => tracing::warn!(%user, "the photo of a user is missing"),
            ImageOwner::GraphicPlan(plan) => {
                tracing::warn!(%plan, "the picture of a graphic plan is missing");
            }
            ImageOwner::Medium(medium) => {
                tracing::warn!(%medium, "the file of a medium is missing");
            }
        }
    }
    let done = if dry_run { "would be removed" } else { "removed" };
    let mut answer = format!(
        "photos: {objects} found, {} unused {done}, {} missing\n",
        unowned.len(),
        missing.len(),
    );
    if dry_run {
        for photo in unowned {
            answer.push_str(&photo.to_string());
            answer.push('\n');
        }
    }
    output::answer(&answer)?;
    match missing.len() {
        0 => Ok(()),
        count => Err(CommandError::Failed(format!(
            "missing photos: {count}; restore their files from a backup, or upload them again"
        ))),
    }
}

async fn check(
    wiring: &Wiring,
    settings: &PhotoSettings,
    dry_run: bool,
) -> Result<ImageCheck, CommandError> {
    let photos = existing_photos(wiring, settings)?;
    if !has_users(wiring).await? {
        // With the wrong store configured, all photos look unused, so no photo is removed.
        let found = photos.compare(Operator).await?;
        if found.objects > 0 {
            return Err(CommandError::Failed(format!(
                "the store has no users, but there are {} photos; no photo was removed; check \
                 --database-url and --photos-url",
                found.objects
            )));
        }
        return Ok(found);
    }
    Ok(if dry_run {
        photos.compare(Operator).await?
    } else {
        photos.compare_and_remove(Operator).await?
    })
}

async fn has_users(wiring: &Wiring) -> Result<bool, CommandError> {
    let mut records = wiring.data_sets().export(Operator);
    while let Some(batch) = records.next().await {
        if batch?.iter().any(|record| matches!(record, Record::User(_))) {
            return Ok(true);
        }
    }
    Ok(false)
}
