//! The program: configuration, commands, and the wiring of all other crates.

mod allocator;
mod build;
mod command;
mod command_line;
mod descriptors;
mod error;
mod jobs;
mod log;
mod output;
mod process;
mod progress;
mod root_user;
mod service_manager;
mod settings;
mod sign_in_log;
mod signals;
mod site_address;
mod store;
mod store_size;
mod system;
mod wiring;

use std::{
    io::{self, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    process::ExitCode,
};

use actix_web::rt::System;
use command_line::{ParsedLine, Task};
use error::CommandError;
use log::Traces;

fn main() -> ExitCode {
    allocator::return_memory_at_once();
    #[cfg(target_os = "linux")]
    use_small_pages();
    patrol_identity::use_ring();
    let done = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        Err(CommandError::Failed("stopped by a defect; please report it with the log".to_owned()))
    });
    match done {
        Ok(code) => code,
        Err(error) => {
            // If standard error is closed too, the error cannot be reported.
            let _ = writeln!(io::stderr(), "patrol: {}", error::without_tokens(&error.to_string()));
            ExitCode::from(error.exit_code())
        }
    }
}

/// Turns off huge pages of 2 MiB for the process. The allocator requests them, and each thread's
/// heap then takes several times its content: 38 MB instead of 18 MB in an idle server, without a
/// measurable gain in speed (docs/adr/0017-small-pages.md). If this fails, the program only takes
/// more memory.
#[cfg(target_os = "linux")]
fn use_small_pages() {
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}

fn run() -> Result<ExitCode, CommandError> {
    let (task, mut configuration) = match command_line::parse(std::env::args_os())? {
        ParsedLine::Run(task, configuration) => (task, configuration),
        ParsedLine::Answer(text) => {
            output::answer(&text)?;
            return Ok(ExitCode::SUCCESS);
        }
        ParsedLine::Usage(text) => {
            let _ = write!(io::stderr(), "{text}");
            return Ok(ExitCode::from(2));
        }
    };
    let mut traces = std::mem::take(&mut configuration.traces);
    if !matches!(task, Task::Serve(_)) {
        traces.endpoint = None;
    }
    if traces.endpoint.is_some() && cfg!(not(feature = "traces")) {
        return Err(CommandError::Usage(
            "this program was built without traces; build it with `--features traces`, or unset \
             PATROL_TRACES_ENDPOINT and OTEL_EXPORTER_OTLP_ENDPOINT"
                .to_owned(),
        ));
    }
    let (log, traces) = log::start(std::mem::take(&mut configuration.log), traces)
        .map_err(|error| CommandError::Failed(format!("cannot start the log: {error}")))?;
    // Flushed before an error is printed, so that the lines appear in order.
    let _flushed = log.flushed_at_end();
    let monitored = traces.as_ref().map(Traces::monitored);
    let done = System::new().block_on(command::run(task, *configuration, &log, monitored));
    if let Some(traces) = traces {
        traces.finish();
    }
    done?;
    Ok(ExitCode::SUCCESS)
}
