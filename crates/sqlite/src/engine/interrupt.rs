//! Cancels queries ([`super::watch`]). SQLite calls a progress handler while it works, but Diesel
//! has no interface for one and gives no access to its connections. So an automatic extension
//! installs the handler on each new connection, and the handler asks the watch of its thread.
//!
//! This is the only `unsafe` code of the project: two calls of SQLite's C interface.
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

/// The steps of SQLite's virtual machine between two calls of the handler: well below a
/// millisecond, and enough that the call costs nothing in comparison.
const STEPS: c_int = 10_000;

thread_local! {
    /// Watches the job of this thread; `None` when it must not be cancelled.
    static WATCH: RefCell<Option<Rc<Watch>>> = const { RefCell::new(None) };
}

/// Installs the handler on every connection opened later. Call this before opening one.
pub(super) fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // SAFETY: `extend` has the signature that SQLite requires, and is static.
        let result = unsafe { sqlite3_auto_extension(Some(extend)) };
        if result != SQLITE_OK {
            tracing::warn!(result, "queries of clients that go away run to their end");
        }
    });
}

/// Runs `job`; its statements fail as interrupted when `watch` stops it.
pub(super) fn watched<T>(watch: &Rc<Watch>, job: impl FnOnce() -> T) -> T {
    /// Resets the watch, also when the job panics.
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

/// Whether the job of this thread is cancelled. A job checks this while it waits for something
/// other than SQLite.
pub(crate) fn has_to_end() -> bool {
    let watch = WATCH.try_with(|watch| watch.borrow().clone()).ok().flatten();
    watch.is_some_and(|watch| watch.stop().is_some())
}

/// The entry point of the extension: SQLite calls it for each new connection.
unsafe extern "C" fn extend(
    connection: *mut sqlite3,
    _: *mut *mut c_char,
    _: *const sqlite3_api_routines,
) -> c_int {
    // SAFETY: SQLite passes a valid connection. The handler uses no pointer and is static.
    unsafe { sqlite3_progress_handler(connection, STEPS, Some(ask), null_mut()) };
    SQLITE_OK
}

/// The progress handler. SQLite calls it on the thread of the statement, and interrupts the
/// statement when the result is not 0.
unsafe extern "C" fn ask(_: *mut c_void) -> c_int {
    c_int::from(has_to_end())
}
