//! `patrol labels`.

use futures_util::{StreamExt as _, TryStreamExt as _};
use patrol_application::{Failure, Operator};
use patrol_domain::{
    ids::{LocationId, parse},
    list::{Condition, Membership, Part, Query, Test},
    location::{Location, LocationFilter},
    shared::text::fold,
};
use patrol_site::{PublicUrl, labels_file, points_to_label};

use crate::{
    error::CommandError, output, settings::Configuration, site_address, store::Access,
    wiring::Wiring,
};

/// Prints the labels of the points of a location.
pub(super) async fn run(
    configuration: &Configuration,
    location: &str,
    language: &str,
) -> Result<(), CommandError> {
    let url = PublicUrl::new(site_address::public_origin(configuration)?);
    let write = async |wiring: &Wiring| {
        let Location { id, name, .. } = find(wiring, location).await?;
        let query = points_to_label(id, Vec::new(), wiring.clock().now());
        let points = wiring.points().list(Operator.into(), query)?;
        let mut parts = labels_file(points, &name, language, &url).await?;
        while let Some(part) = parts.next().await {
            output::answer(&part?)?;
        }
        Ok(())
    };
    Wiring::run(configuration, Access::Read, write).await
}

/// The location with this id, or with exactly this name.
async fn find(wiring: &Wiring, location: &str) -> Result<Location, CommandError> {
    let locations = wiring.locations();
    if let Some(id) = parse(location) {
        match locations.get(Operator.into(), LocationId(id)).await {
            Ok(found) => return Ok(found.record),
            Err(Failure::NotFound) => {}
            Err(failure) => return Err(failure.into()),
        }
    }
    let named = Test::Text(Membership::Any, vec![fold(location)]);
    let query = Query::of(Condition::Is(LocationFilter::Name, named), wiring.clock().now());
    let query = Query { in_parts: true, ..query };
    let mut parts = locations.list(Operator.into(), query)?;
    let mut found = Vec::new();
    while let Some(part) = parts.try_next().await? {
        if let Part::Rows(rows) = part {
            found.extend(rows.into_iter().filter(|row| row.name == location));
        }
    }
    let ids: Vec<_> = found.iter().map(|location| location.id.to_string()).collect();
    match (found.pop(), ids.len()) {
        (Some(only), 1) => Ok(only),
        (None, _) => Err(CommandError::Failed(format!(
            "there is no location with the id or name {location}"
        ))),
        (Some(_), _) => Err(CommandError::Failed(format!(
            "{location} is the name of several locations; name one of them by id ({})",
            ids.join(" or ")
        ))),
    }
}
