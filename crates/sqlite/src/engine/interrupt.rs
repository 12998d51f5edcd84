//! Cancels queries. SQLite calls a progress handler while it works, but Diesel has no interface for
//! one and gives no access to its connections. So an automatic extension installs the handler on
//! each new connection, and the handler calls the check of its thread.
//!
//! The `unsafe` code is two calls of SQLite's C interface.
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

/// Whether a job is cancelled.
type Check = Rc<dyn Fn() -> bool>;

/// The steps of SQLite's virtual machine between two calls of the handler. They take well below a
/// millisecond, and much longer than the call itself.
const STEPS: c_int = 10_000;

thread_local! {
    /// The check of this thread's job; `None` when the job must not be cancelled.
    static CHECK: RefCell<Option<Check>> = const { RefCell::new(None) };
}

/// Installs the handler on every connection opened later. Call this before opening one.
pub(super) fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // SAFETY: `install_handler` has the signature that SQLite requires, and is static.
        let result = unsafe { sqlite3_auto_extension(Some(install_handler)) };
        if result != SQLITE_OK {
            tracing::warn!(result, "queries of clients that go away run to their end");
        }
    });
}

/// Runs `job`. Its statements fail as interrupted once `check` returns true.
pub(super) fn interruptible<T>(check: Check, job: impl FnOnce() -> T) -> T {
    /// Resets the check, also when the job panics.
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            CHECK.set(None);
        }
    }
    CHECK.set(Some(check));
    let _end = End;
    job()
}

/// Whether the job of this thread is cancelled. A job checks this while it waits for something
/// other than SQLite.
pub(crate) fn is_cancelled() -> bool {
    let check = CHECK.try_with(|check| check.borrow().clone()).ok().flatten();
    check.is_some_and(|check| check())
}

/// The entry point of the extension: SQLite calls it for each new connection.
unsafe extern "C" fn install_handler(
    connection: *mut sqlite3,
    _: *mut *mut c_char,
    _: *const sqlite3_api_routines,
) -> c_int {
    // SAFETY: SQLite passes a valid connection. The handler uses no pointer and is static.
    unsafe { sqlite3_progress_handler(connection, STEPS, Some(progress_handler), null_mut()) };
    SQLITE_OK
}

/// The progress handler. SQLite calls it on the thread of the statement, and interrupts the
/// statement when the result is not 0.
unsafe extern "C" fn progress_handler(_: *mut c_void) -> c_int {
    c_int::from(is_cancelled())
}
