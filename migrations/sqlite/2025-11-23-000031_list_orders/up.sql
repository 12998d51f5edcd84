-- Indexes for the orders of locations, and for the order of scheduled tasks by description. A column that can be null,
-- or that many rows share, has one for each direction.
CREATE INDEX locations_by_address_and_id ON locations (address_folded, id);
CREATE INDEX locations_by_address_desc ON locations (address_folded DESC, id);
CREATE INDEX locations_by_latitude_and_id ON locations (latitude, id);
CREATE INDEX locations_by_latitude_desc ON locations (latitude DESC, id);
CREATE INDEX locations_by_longitude_and_id ON locations (longitude, id);
CREATE INDEX locations_by_longitude_desc ON locations (longitude DESC, id);
CREATE INDEX scheduled_tasks_by_description_and_id ON scheduled_tasks (description_folded, id);
CREATE INDEX scheduled_tasks_by_description_desc ON scheduled_tasks (description_folded DESC, id);

-- Which locations have three characters one after another in a text, as for users. Triggers, so that a node of an older
-- version fills the table too.
CREATE VIRTUAL TABLE location_texts USING fts5(
    texts, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
);

INSERT INTO location_texts (rowid, texts)
SELECT row, name_folded || char(10) || address_folded || char(10) || tags_folded FROM locations;

CREATE TRIGGER locations_worded AFTER INSERT ON locations
BEGIN
    INSERT INTO location_texts (rowid, texts) VALUES (
        new.row, new.name_folded || char(10) || new.address_folded || char(10) || new.tags_folded
    );
END;

CREATE TRIGGER locations_reworded AFTER UPDATE OF name_folded, address_folded, tags_folded ON locations
WHEN new.name_folded <> old.name_folded OR new.address_folded <> old.address_folded
    OR new.tags_folded <> old.tags_folded
BEGIN
    DELETE FROM location_texts WHERE rowid = old.row;
    INSERT INTO location_texts (rowid, texts) VALUES (
        new.row, new.name_folded || char(10) || new.address_folded || char(10) || new.tags_folded
    );
END;

CREATE TRIGGER locations_unworded AFTER DELETE ON locations
BEGIN
    DELETE FROM location_texts WHERE rowid = old.row;
END;

-- What the planner is to believe, as in the migration of the statistics.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('locations', 'sqlite_autoindex_locations_1', '100000 1'),
    ('locations', 'locations_by_name', '100000 10'),
    ('locations', 'locations_by_address_and_id', '100000 10 1'),
    ('locations', 'locations_by_address_desc', '100000 10 1'),
    ('locations', 'locations_by_latitude_and_id', '100000 10 1'),
    ('locations', 'locations_by_latitude_desc', '100000 10 1'),
    ('locations', 'locations_by_longitude_and_id', '100000 10 1'),
    ('locations', 'locations_by_longitude_desc', '100000 10 1'),
    ('location_tags', 'location_tags', '200000 2000 1'),
    ('scheduled_tasks', 'scheduled_tasks_by_description_and_id', '100000 100 1'),
    ('scheduled_tasks', 'scheduled_tasks_by_description_desc', '100000 100 1');
