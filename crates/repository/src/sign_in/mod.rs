//! Passwords, sessions, invitations and failed sign-ins.

mod account;
mod failures;
mod invitations;
mod passwords;
mod sessions;

pub(crate) use self::account::insert_hash;
