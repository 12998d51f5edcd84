//! Graphic plans and their pictures.

use std::sync::Arc;

use patrol_domain::{
    Get, New, Target, Versioned,
    graphic_plan::{
        GraphicPlan, GraphicPlanDraft, GraphicPlanFilter, GraphicPlanQuery, GraphicPlans,
        NewPicture, Picture,
    },
    ids::{GraphicPlanId, LocationId, MediaId},
    list::{Condition, Listing, Membership, Test},
    location::Location,
    photo::{CleanImage, Photo},
};

use crate::{
    context::Context,
    failure::Failure,
    image::ImageService,
    permission::{Actor, Operation, permit},
};

/// The use cases of graphic plans.
#[derive(Clone)]
pub struct GraphicPlanService {
    plans: Arc<dyn GraphicPlans>,
    locations: Arc<dyn Get<Location>>,
    images: ImageService,
    context: Context,
}

/// A new graphic plan: its name and id as sent, and the file with its picture.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs)] // named as in docs/api
pub struct NewGraphicPlan {
    pub id: Option<GraphicPlanId>,
    pub name: Option<String>,
    pub image: Option<Vec<u8>>,
}

impl GraphicPlanService {
    /// Use cases that work with these ports.
    #[must_use]
    pub fn new(
        plans: Arc<dyn GraphicPlans>,
        locations: Arc<dyn Get<Location>>,
        images: ImageService,
        context: Context,
    ) -> Self {
        Self { plans, locations, images, context }
    }

    /// Checks that the location exists. HTTP calls this before it lists the plans of the location.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "graphic_plan.check_location", skip_all)]
    pub async fn check_location(&self, actor: Actor, location: LocationId) -> Result<(), Failure> {
        permit(actor, Operation::Read)?;
        self.require(location).await
    }

    /// The graphic plans of a location that match the query.
    ///
    /// # Errors
    /// `Denied`.
    #[tracing::instrument(target = "patrol::trace", name = "graphic_plan.list", skip_all)]
    pub fn list(
        &self,
        actor: Actor,
        location: LocationId,
        mut query: GraphicPlanQuery,
    ) -> Result<Listing<GraphicPlan>, Failure> {
        permit(actor, Operation::Read)?;
        let here = Test::Ids(Membership::Any, vec![location.0]);
        let here = Condition::Is(GraphicPlanFilter::Location, here);
        query.condition = Condition::All(vec![here, query.condition]);
        Ok(self.plans.list(query))
    }

    /// One graphic plan.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "graphic_plan.get", skip_all)]
    pub async fn get(
        &self,
        actor: Actor,
        id: GraphicPlanId,
    ) -> Result<Versioned<GraphicPlan>, Failure> {
        permit(actor, Operation::Read)?;
        self.plans.get(id).await?.ok_or(Failure::NotFound)
    }

    /// POST: creates a graphic plan of the location.
    ///
    /// # Errors
    /// `Denied`, `NotFound` when the location does not exist, `Refused`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "graphic_plan.create", skip_all)]
    pub async fn create(
        &self,
        actor: Actor,
        location: LocationId,
        new: NewGraphicPlan,
    ) -> Result<GraphicPlan, Failure> {
        permit(actor, Operation::Plan)?;
        self.require(location).await?;
        let NewGraphicPlan { id, name, image } = new;
        let id = id.unwrap_or_else(|| GraphicPlanId(self.context.new_id()));
        let draft = GraphicPlanDraft { id: Some(id), location_id: Some(location), name };
        let Some(file) = image else {
            return self.store(actor, draft, NewPicture::Missing).await;
        };
        let Some(CleanImage { photo, width, height }) = self.images.clean(file).await? else {
            return self.store(actor, draft, NewPicture::Unusable).await;
        };
        let image = self.images.new_id();
        let picture = Picture { image, format: photo.format, width, height };
        let stored = self.store(actor, draft, NewPicture::Stored(picture));
        let attach = async { Ok((stored.await?, None)) };
        self.images.store(image, photo, attach).await
    }

    async fn store(
        &self,
        actor: Actor,
        draft: GraphicPlanDraft,
        picture: NewPicture,
    ) -> Result<GraphicPlan, Failure> {
        let (rules, location) = (self.context.rules, draft.location_id);
        let new = New {
            references: draft.references(),
            make: Box::new(move |existing| draft.check_new(picture, existing, &rules)),
        };
        let created = self.plans.create(new, self.context.origin(actor)).await;
        if let (Err(_), Some(location)) = (&created, location) {
            // The location may have been deleted in the meantime.
            self.require(location).await?;
        }
        Ok(created?)
    }

    /// Deletes the graphic plan with its picture, unless points are placed on it.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Stale`, `InUse`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "graphic_plan.delete", skip_all)]
    pub async fn delete(&self, actor: Actor, at: Target<GraphicPlan>) -> Result<(), Failure> {
        permit(actor, Operation::Plan)?;
        let image = self.plans.get(at.id).await?.and_then(|found| found.record.picture);
        self.plans.delete(at, self.context.origin(actor)).await?;
        self.images.remove_replaced(image.map(|picture| picture.image)).await;
        Ok(())
    }

    /// The picture of the plan with its id.
    ///
    /// # Errors
    /// `Denied`; `NotFound` when the plan does not exist or has no picture; `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "graphic_plan.image", skip_all)]
    pub async fn image(
        &self,
        actor: Actor,
        id: GraphicPlanId,
    ) -> Result<(MediaId, Photo), Failure> {
        self.images.find(|| self.current_image(actor, id)).await
    }

    /// The id of the plan's picture.
    ///
    /// # Errors
    /// `Denied`; `NotFound` when the plan does not exist or has no picture; `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "graphic_plan.current_image", skip_all)]
    pub async fn current_image(&self, actor: Actor, id: GraphicPlanId) -> Result<MediaId, Failure> {
        let picture = self.get(actor, id).await?.record.picture;
        Ok(picture.ok_or(Failure::NotFound)?.image)
    }

    async fn require(&self, location: LocationId) -> Result<(), Failure> {
        self.locations.get(location).await?.map(drop).ok_or(Failure::NotFound)
    }
}
