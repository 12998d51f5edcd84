//! Photos in folders and in memory, and the images that clients may send.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::as_conversions)]

mod contract;
mod folder;
mod images;
