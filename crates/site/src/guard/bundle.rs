//! The files of the app, which are in the program, and their version.

use std::io::Write as _;

use actix_web::web::Bytes;
use flate2::{Compression, write::GzEncoder};
use patrol_domain::{sign_in::SignInSecrets, task_execution::Punctuality};

/// A file of the app.
macro_rules! file {
    ($name:literal) => {
        ($name, include_str!(concat!("../../assets/guard/", $name)))
    };
}

/// The style sheet and the modules.
const FILES: [(&str, &str); 16] = [
    file!("guard.css"),
    file!("app.js"),
    file!("api.js"),
    file!("context.js"),
    file!("device.js"),
    file!("pages/round.js"),
    file!("pages/rounds.js"),
    file!("pages/scan.js"),
    file!("rules/code.js"),
    file!("rules/list.js"),
    file!("rules/queue.js"),
    file!("rules/round.js"),
    file!("store.js"),
    file!("sync.js"),
    file!("texts.js"),
    file!("view.js"),
];

const SHELL: &str = include_str!("../../assets/guard/shell.html");
const WORKER: &str = include_str!("../../assets/guard/worker.js");
pub(crate) const MANIFEST: &str = include_str!("../../assets/guard/manifest.json");

/// The icons, by name.
const PICTURES: [(&str, &[u8]); 3] = [
    ("icon-192", include_bytes!("../../assets/guard/icon-192.png")),
    ("icon-512", include_bytes!("../../assets/guard/icon-512.png")),
    ("icon-maskable", include_bytes!("../../assets/guard/icon-maskable.png")),
];

/// The shell and the worker, which name the other files by their version.
pub(crate) struct App {
    /// From the digest of all files and of the setting, in hexadecimal digits.
    version: String,
    pub(crate) shell: String,
    pub(crate) worker: String,
    /// The files compressed by gzip, in the order of [`FILES`]: a phone waits for each byte.
    compressed: Vec<Bytes>,
}

impl App {
    /// The app of this program. The shell says when a round is late, because phones also tell it without a
    /// network.
    pub(crate) fn new(secrets: &dyn SignInSecrets, punctuality: Punctuality) -> Self {
        let shell = SHELL.replace("LATE_AFTER", &punctuality.late_after_millis().to_string());
        let all: String = FILES
            .iter()
            .flat_map(|(name, content)| [*name, *content])
            .chain([&shell, WORKER])
            .collect();
        let digest = secrets.digest(&all);
        let version: String = digest.0.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        let paths = FILES.map(|(name, _)| format!("/guard/files/{version}/{name}"));
        let preload = |path: &String| format!("<link rel=\"modulepreload\" href=\"{path}\">");
        let preloads: Vec<_> =
            paths.iter().filter(|path| path.ends_with(".js")).map(preload).collect();
        let shell = shell.replace("PRELOADS", &preloads.join("\n")).replace("VERSION", &version);
        let worker = WORKER.replace("FILES\"]", &format!("{}\"]", paths.join("\", \"")));
        let compressed = FILES.map(|(_, content)| gzip(content)).to_vec();
        Self { shell, worker: worker.replace("VERSION", &version), version, compressed }
    }

    /// A file of this version: its name, its content, and the same compressed.
    pub(crate) fn file(&self, version: &str, name: &str) -> Option<(&str, &'static str, Bytes)> {
        let all = FILES.iter().zip(&self.compressed);
        let mut all = all.filter(|_| version == self.version);
        let ((name, content), compressed) = all.find(|((known, _), _)| *known == name)?;
        Some((name, content, compressed.clone()))
    }
}

/// The text compressed by gzip.
fn gzip(text: &str) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(text.as_bytes());
    encoder.finish().unwrap_or_default().into()
}

/// The content of an icon, by its name without the ending.
pub(crate) fn picture(name: &str) -> Option<&'static [u8]> {
    let found = PICTURES.into_iter().find(|(known, _)| *known == name);
    found.map(|(_, content)| content)
}
