//! Makes constants of the texts of the pages.

use std::{collections::BTreeMap, env, error::Error, fs, path::Path};

/// The languages, by their BCP 47 tags. The first is the default.
const CODES: [&str; 2] = ["en", "ru"];

fn main() -> Result<(), Box<dyn Error>> {
    // The number of values of each text, by its name.
    let (mut values, mut languages) = (BTreeMap::new(), Vec::new());
    for code in CODES {
        let file = format!("src/texts/{code}.toml");
        println!("cargo::rerun-if-changed={file}");
        let texts: BTreeMap<String, String> = toml::from_str(&fs::read_to_string(file)?)?;
        for (name, text) in &texts {
            let has = text.matches("{}").count();
            if *values.entry(name.clone()).or_insert(has) != has {
                return Err(format!("{name} has another number of values in {code}").into());
            }
        }
        let members = texts.iter().map(|(name, text)| format!("{name}: Text({text:?}),"));
        let members: String = members.collect();
        languages.push(format!("Language {{ code: {code:?}, texts: Texts {{ {members} }} }}"));
    }
    let members: String = values.keys().map(|name| format!("pub(crate) {name}: Text,")).collect();
    let declared = format!(
        "/// The texts of one language.\n#[derive(Debug)]\npub(crate) struct Texts {{ {members} }}\n\
         static LANGUAGES: [Language; {}] = [{}];\n",
        languages.len(),
        languages.join(", "),
    );
    fs::write(Path::new(&env::var("OUT_DIR")?).join("texts.rs"), declared)?;
    Ok(())
}
