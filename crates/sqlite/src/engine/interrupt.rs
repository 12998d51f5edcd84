//! Ending a query that nobody waits for any more. SQLite asks a progress handler while it works;
//! Diesel offers none, and hands its connections to nobody. So each connection gets the handler
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

/// How many steps of SQLite's machine lie between two questions: well below a millisecond of work,
/// beside which a question costs nothing.
const STEPS: c_int = 10_000;

type IsAbandoned = Rc<dyn Fn() -> bool>;

thread_local! {
    /// Asked whether nobody waits for what this thread runs; none when it has to come to its end.
    static ABANDONED: RefCell<Option<IsAbandoned>> = const { RefCell::new(None) };
}

/// Has every connection that is opened from now on ask. To be called before one is opened.
pub(super) fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // SAFETY: `watch` has the signature that SQLite calls it with, and lives for ever.
        let result = unsafe { sqlite3_auto_extension(Some(watch)) };
        if result != SQLITE_OK {
            tracing::warn!(result, "queries of clients that go away run to their end");
        }
    });
}

/// Runs `job`, whose statements fail as interrupted when `is_abandoned` becomes true.
pub(super) fn unless_abandoned<T>(
    is_abandoned: impl Fn() -> bool + 'static,
    job: impl FnOnce() -> T,
) -> T {
    /// Also when the job panics.
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            ABANDONED.set(None);
        }
    }
    ABANDONED.set(Some(Rc::new(is_abandoned)));
    let _end = End;
    job()
}

/// The entry point of the extension: SQLite calls it for a connection that it has just opened.
unsafe extern "C" fn watch(
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
    let is_abandoned = ABANDONED.try_with(|asked| asked.borrow().clone()).ok().flatten();
    c_int::from(is_abandoned.is_some_and(|is_abandoned| is_abandoned()))
}
