//! `patrol package-files`: what a package needs besides the program, made from the definition of the
//! commands and settings.

use std::{fs, io, path::Path};

use clap_complete::{Shell, generate_to};

use crate::{command_line, error::CommandError};

/// The shells for which completions are written.
const SHELLS: [Shell; 3] = [Shell::Bash, Shell::Fish, Shell::Zsh];

/// Writes the manual pages to `FOLDER/man` and the completions to `FOLDER/completions`.
pub(super) fn run(folder: &Path) -> Result<(), CommandError> {
    write(folder).map_err(|error| {
        CommandError::Failed(format!(
            "cannot write to {}: {error}; check the folder, its permissions and space",
            folder.display()
        ))
    })
}

fn write(folder: &Path) -> io::Result<()> {
    let (pages, completions) = (folder.join("man"), folder.join("completions"));
    fs::create_dir_all(&pages)?;
    fs::create_dir_all(&completions)?;
    clap_mangen::generate_to(command_line::definition_for_any_machine(), &pages)?;
    for shell in SHELLS {
        let mut command = command_line::definition_for_any_machine();
        generate_to(shell, &mut command, "patrol", &completions)?;
    }
    Ok(())
}
