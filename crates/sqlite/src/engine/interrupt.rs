//! Ending a query that has to end ([`super::watch`]). SQLite asks a progress handler while it works;
//! Diesel offers none, and gives no access to its connections. So each connection gets the handler
//! while it is opened, from an automatic extension, and the handler asks what its own thread runs.
//!
//! The only `unsafe` code of the project: two calls of SQLite's C interface.
#![allow(unsafe_code)]

use std::{
    cell::RefCell,
    ffi::{c_char, c_int, c_void},
    ptr::null_mut,
    rc::Rc,
    sync::Once,
};

use libsqlite3_sys::{
    SQLITE_OK, sqlite3, sqlite3_api_routines, sqlite3_auto_extension, sqlite3_progress_handler,
};

use super::watch::Watch;

/// How many steps of SQLite's machine lie between two questions: well below a millisecond of work,
/// beside which a question costs nothing.
const STEPS: c_int = 10_000;

thread_local! {
    /// Watches over what this thread runs; none when that has to come to its end.
    static WATCH: RefCell<Option<Rc<Watch>>> = const { RefCell::new(None) };
}

/// Has every connection that is opened from now on ask. To be called before one is opened.
pub(super) fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // SAFETY: `extend` has the signature that SQLite calls it with, and lives for ever.
        let result = unsafe { sqlite3_auto_extension(Some(extend)) };
        if result != SQLITE_OK {
            tracing::warn!(result, "queries of clients that go away run to their end");
        }
    });
}

/// Runs `job`, whose statements fail as interrupted when `watch` says that it has to end.
pub(super) fn watched<T>(watch: &Rc<Watch>, job: impl FnOnce() -> T) -> T {
    /// Also when the job panics.
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            WATCH.set(None);
        }
    }
    WATCH.set(Some(Rc::clone(watch)));
    let _end = End;
    job()
}

/// Whether what this thread runs has to end. A job asks this while it waits for something else than
/// SQLite.
pub(crate) fn has_to_end() -> bool {
    let watch = WATCH.try_with(|watch| watch.borrow().clone()).ok().flatten();
    watch.is_some_and(|watch| watch.stop().is_some())
}

/// The entry point of the extension: SQLite calls it for a connection that it has just opened.
unsafe extern "C" fn extend(
    connection: *mut sqlite3,
    _: *mut *mut c_char,
    _: *const sqlite3_api_routines,
) -> c_int {
    // SAFETY: SQLite hands in a valid connection. The handler takes no pointer, and lives for ever.
    unsafe { sqlite3_progress_handler(connection, STEPS, Some(ask), null_mut()) };
    SQLITE_OK
}

/// The progress handler. SQLite calls it on the thread that runs the statement, and ends the
/// statement when it returns anything but 0.
unsafe extern "C" fn ask(_: *mut c_void) -> c_int {
    c_int::from(has_to_end())
}
