-- Grows with every change of the location, and of its graphic plans. Triggers, so that a node of an older version
-- counts the plans too.
ALTER TABLE locations ADD COLUMN version bigint NOT NULL DEFAULT 1;

CREATE FUNCTION graphic_plans_count() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE locations SET version = version + 1 WHERE id = coalesce(new.location_id, old.location_id);
    RETURN NULL;
END
$$;
CREATE TRIGGER graphic_plans_count AFTER INSERT OR DELETE ON graphic_plans
    FOR EACH ROW EXECUTE FUNCTION graphic_plans_count();

-- Locations can be deleted, and the history of points keeps their ids.
ALTER TABLE point_history DROP CONSTRAINT point_history_location_id_fkey;

-- The points of a location, in the default order of their list.
CREATE INDEX points_by_location ON points (location_id, id);
