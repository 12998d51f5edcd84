//! Declares the texts of the pages: those that the English file has.

use std::{env, error::Error, fs, path::Path};

const ENGLISH: &str = "src/texts/en.toml";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={ENGLISH}");
    let file = fs::read_to_string(ENGLISH)?;
    let names = file.lines().filter_map(|line| line.split_once(" = "));
    let names: Vec<_> = names.map(|(name, _)| name).collect();
    let declared = format!("texts! {{ {} }}", names.join(" "));
    fs::write(Path::new(&env::var("OUT_DIR")?).join("texts.rs"), declared)?;
    Ok(())
}
