-- The picture of a plan: the object in the photo store, its format (0 JPEG, 1 PNG, 2 WebP) and its size in pixels. All of
-- them are null without a picture. `name_folded` is the name in folded form, which the program fills when it opens the
-- store. A plan never changes: its version tells apart the plans that had the same id one after another.
ALTER TABLE graphic_plans
    ADD COLUMN name_folded text COLLATE "C",
    ADD COLUMN image_id uuid,
    ADD COLUMN image_format smallint,
    ADD COLUMN width integer,
    ADD COLUMN height integer,
    ADD COLUMN version bigint NOT NULL DEFAULT 1;

CREATE INDEX graphic_plans_by_image ON graphic_plans (image_id) WHERE image_id IS NOT NULL;
