-- `graphic_plans` is a JSON array of places on plans of the point's location; `json` rather than
-- `jsonb`, since it is never searched and may hold an escaped U+0000.
CREATE TABLE points (
    id uuid PRIMARY KEY,
    location_id uuid NOT NULL REFERENCES locations (id),
    name text NOT NULL,
    kind smallint NOT NULL,
    latitude double precision,
    longitude double precision,
    graphic_plans json NOT NULL,
    rfid_code text COLLATE "C",
    qr_code text COLLATE "C",
    tags text[] NOT NULL
);

CREATE UNIQUE INDEX points_by_rfid_code ON points (rfid_code) WHERE rfid_code IS NOT NULL;
CREATE UNIQUE INDEX points_by_qr_code ON points (qr_code) WHERE qr_code IS NOT NULL;

-- Every create, update and delete of a point. It outlives the point. A history id is never given
-- out twice; gaps are allowed, and so is that a smaller one is seen later than a greater one.
CREATE TABLE point_history (
    history_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    operation smallint NOT NULL,
    recorded_at timestamptz(3) NOT NULL,
    id uuid NOT NULL,
    location_id uuid NOT NULL REFERENCES locations (id),
    name text NOT NULL,
    name_folded text COLLATE "C" NOT NULL,
    kind smallint NOT NULL,
    latitude double precision,
    longitude double precision,
    graphic_plans json NOT NULL,
    rfid_code text,
    rfid_code_folded text COLLATE "C",
    qr_code text,
    qr_code_folded text COLLATE "C",
    tags text[] COLLATE "C" NOT NULL,
    tags_folded text COLLATE "C" NOT NULL
);

CREATE INDEX point_history_by_point ON point_history (id, history_id);
CREATE INDEX point_history_by_location ON point_history (location_id, id, history_id);
CREATE INDEX point_history_by_name ON point_history (name_folded, id, history_id);
CREATE INDEX point_history_by_tags ON point_history USING gin (tags);
