-- The log of changes. Positions come from a sequence, and transactions commit in another order than they
-- took their positions. A reader must not pass a position that is not committed yet. So a transaction
-- holds a shared lock whose key is a position below all that it takes, from before its first event to
-- its end; a reader reads the sequence, then these locks, and stops at the lowest one.
CREATE SEQUENCE events_position MINVALUE 0 START WITH 0;
SELECT nextval('events_position');

CREATE TABLE events (
    position BIGINT PRIMARY KEY DEFAULT nextval('events_position'),
    id UUID NOT NULL,
    at TIMESTAMPTZ NOT NULL,
    type TEXT NOT NULL,
    resource_type TEXT NOT NULL,
    resource_id UUID,
    actor_id UUID,
    token_id UUID,
    request_id TEXT,
    -- The bytes of changes.
    size INTEGER NOT NULL,
    -- A JSON array of {member, before, after}.
    changes TEXT NOT NULL
);
ALTER SEQUENCE events_position OWNED BY events.position;
CREATE INDEX events_by_resource ON events (resource_id, position);

-- Takes the lock once in a transaction. Its key is the table and the lower 31 bits of the position.
CREATE FUNCTION events_hold_position() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF coalesce(current_setting('patrol.position_held', true), '') = '' THEN
        PERFORM pg_advisory_xact_lock_shared(
            TG_RELID::int4, (SELECT last_value & 2147483647 FROM events_position)::int4);
        PERFORM set_config('patrol.position_held', 'yes', true);
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER events_hold_position BEFORE INSERT ON events
    FOR EACH STATEMENT EXECUTE FUNCTION events_hold_position();
