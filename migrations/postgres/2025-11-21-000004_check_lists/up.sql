CREATE TABLE check_lists (
    id uuid PRIMARY KEY,
    name text NOT NULL
);

-- `place` is the action's order; `position` tells actions of the same order apart, which come as
-- they were given.
CREATE TABLE check_list_actions (
    id uuid PRIMARY KEY,
    check_list_id uuid NOT NULL REFERENCES check_lists (id) ON DELETE CASCADE,
    position integer NOT NULL,
    name text NOT NULL,
    kind smallint NOT NULL,
    place integer NOT NULL,
    required boolean NOT NULL,
    min_value double precision,
    max_value double precision
);

CREATE INDEX check_list_actions_by_list ON check_list_actions (check_list_id, place, position);
