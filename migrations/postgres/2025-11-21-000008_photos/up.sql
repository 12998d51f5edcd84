-- Objects that are being written, or that no user has any more. A condemned one is never given to a
-- user; once the object is gone, so is its row.
CREATE TABLE photo_announcements (
    photo_id uuid PRIMARY KEY,
    announced_at timestamptz(3) NOT NULL,
    condemned boolean NOT NULL
);

CREATE INDEX photo_announcements_by_time ON photo_announcements (announced_at, photo_id);

CREATE INDEX users_by_photo ON users (photo_id) WHERE photo_id IS NOT NULL;

-- A change of a role or a status asks who the active administrators are.
CREATE INDEX users_by_role ON users (role, status, id);
