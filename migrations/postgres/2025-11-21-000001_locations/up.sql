-- Common to all tables: `id` is the id that clients know, and the key inside the store as well: no
-- sequence hands out keys, so that any node of a distributed engine can insert. Times are in whole
-- milliseconds. Values of an enumeration are stored by rank. `…_folded` is the text in Unicode lower
-- case, by which it is searched and sorted; text compares by code point whatever the database's
-- locale. `tags_folded` holds the folded tags with a capital A, which no folded text holds, between
-- them.

CREATE TABLE locations (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    name_folded text COLLATE "C" NOT NULL,
    address text NOT NULL,
    address_folded text COLLATE "C" NOT NULL,
    latitude double precision,
    longitude double precision,
    tags text[] COLLATE "C" NOT NULL,
    tags_folded text COLLATE "C" NOT NULL
);

CREATE INDEX locations_by_name ON locations (name_folded, id);
CREATE INDEX locations_by_tags ON locations USING gin (tags);

CREATE TABLE graphic_plans (
    id uuid PRIMARY KEY,
    location_id uuid NOT NULL REFERENCES locations (id),
    name text NOT NULL
);

CREATE INDEX graphic_plans_by_location ON graphic_plans (location_id, id);
