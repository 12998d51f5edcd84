//! The row of a graphic plan.

mod list;

use diesel::{pg::Pg, prelude::*, sqlite::Sqlite};
use patrol_domain::{
    StoreError,
    graphic_plan::{GraphicPlan, Picture},
    photo::ImageFormat,
};

use crate::stored::{
    row::Row,
    schema::graphic_plans,
    sql::{Id, id},
};

/// The columns of a graphic plan, without the folded name and the version.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = graphic_plans, check_for_backend(Sqlite, Pg))]
#[diesel(treat_none_as_default_value = false)]
pub struct GraphicPlanRow {
    id: Id,
    location_id: Id,
    name: String,
    image_id: Option<Id>,
    image_format: Option<i16>,
    width: Option<i32>,
    height: Option<i32>,
}

impl GraphicPlanRow {
    /// The columns of `plan`.
    #[must_use]
    pub fn of(plan: &GraphicPlan) -> Self {
        let GraphicPlan { id: plan_id, location_id, name, picture } = plan;
        // A side has at most 65,535 pixels.
        let side = |side: u32| i32::try_from(side).unwrap_or(i32::MAX);
        Self {
            id: id(*plan_id),
            location_id: id(*location_id),
            name: name.clone(),
            image_id: picture.map(|picture| id(picture.image)),
            image_format: picture.map(|picture| code(picture.format)),
            width: picture.map(|picture| side(picture.width)),
            height: picture.map(|picture| side(picture.height)),
        }
    }

    /// Decodes the graphic plan.
    ///
    /// # Errors
    /// `Corrupt` when a column cannot be read.
    pub fn plan(self) -> Result<GraphicPlan, StoreError> {
        let Self { id, location_id, name, image_id, image_format, width, height } = self;
        let at = Row::new("graphic_plans", id);
        let side =
            |column, side: i32| u32::try_from(side).map_err(|error| at.corrupt(column, error));
        let picture = match (image_id, image_format, width, height) {
            (Some(image), Some(format), Some(width), Some(height)) => Some(Picture {
                image: at.id("image_id", image)?,
                format: format_of(format)
                    .ok_or_else(|| at.corrupt("image_format", "no such format"))?,
                width: side("width", width)?,
                height: side("height", height)?,
            }),
            (None, None, None, None) => None,
            _ => return Err(at.corrupt("image_id", "a part of a picture")),
        };
        Ok(GraphicPlan {
            id: at.id("id", id)?,
            location_id: at.id("location_id", location_id)?,
            name,
            picture,
        })
    }
}

/// The stored code of a format. Formats sort by media type.
const fn code(format: ImageFormat) -> i16 {
    match format {
        ImageFormat::Jpeg => 0,
        ImageFormat::Png => 1,
        ImageFormat::Webp => 2,
    }
}

const fn format_of(code: i16) -> Option<ImageFormat> {
    match code {
        0 => Some(ImageFormat::Jpeg),
        1 => Some(ImageFormat::Png),
        2 => Some(ImageFormat::Webp),
        _ => None,
    }
}
