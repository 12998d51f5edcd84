-- What a transaction locks before it gives a user an employee number or an email address: no unique
-- index spans both. A row stands for the names of one hash and is made when it is first needed.
CREATE TABLE user_name_locks (
    bucket integer PRIMARY KEY
);
