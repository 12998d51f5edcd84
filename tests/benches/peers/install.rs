//! Installs the peers, each into its folder below `target/bench-peers`. Outside, only the caches of
//! npm, pip and cargo change; TrailBase's build puts its pages beside its sources, in that of cargo.

use std::{
    env,
    ffi::OsString,
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use patrol_tests::bench::{machine, store};
use serde_json::Value;

use crate::group::last_words;

/// A peer's files in the repository.
pub(crate) fn sources(peer: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers").join(peer)
}

/// The folder where a peer is installed.
pub(crate) fn folder(peer: &str) -> PathBuf {
    let folder = store::directory().with_file_name("bench-peers").join(peer);
    fs::create_dir_all(&folder).expect("a folder for a peer");
    folder
}

/// A program of Node.js with its packages.
pub(crate) struct Node {
    pub(crate) folder: PathBuf,
    /// The pinned version of Node.js if its package supports this machine, else the one in `PATH`.
    pub(crate) node: PathBuf,
}

impl Node {
    /// Installs the packages of the lock file. `native` is a package to build from source.
    pub(crate) fn install(peer: &str, native: Option<&str>) -> Result<Self, String> {
        require("npm", "Node.js with npm (Debian: apt install npm)")?;
        let (from, folder) = (sources(peer), folder(peer));
        for file in ["package.json", "package-lock.json", "server.js"] {
            fs::copy(from.join(file), folder.join(file)).map_err(|error| error.to_string())?;
        }
        once(&folder, &["package-lock.json"], || {
            // Without install scripts, which download and build unnecessary files.
            let mut install = Command::new("npm");
            install.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
            run(install.current_dir(&folder), &folder)?;
            native.map_or(Ok(()), |native| build(&folder, native))
        })?;
        let node = pinned_node(&folder).unwrap_or_else(|| PathBuf::from("node"));
        Ok(Self { folder, node })
    }

    /// The versions of a package and of Node.js.
    pub(crate) fn versions(&self, package: &str) -> String {
        let file = self.folder.join("node_modules").join(package).join("package.json");
        let text = fs::read_to_string(file).unwrap_or_default();
        let document: Value = serde_json::from_str(&text).unwrap_or_default();
        let version = document["version"].as_str().unwrap_or("unknown").to_owned();
        format!("{version}, Node.js {}", machine::says(Command::new(&self.node).arg("--version")))
    }
}

/// Builds a package for the pinned Node.js, with the headers that came with it.
fn build(folder: &Path, package: &str) -> Result<(), String> {
    require("c++", "a C++ compiler (Debian: apt install g++ make python3)")?;
    require("make", "make (Debian: apt install make)")?;
    let mut rebuild = Command::new("npm");
    rebuild.args(["rebuild", package]).current_dir(folder);
    if let Some(home) = pinned_node(folder).as_deref().and_then(|node| node.ancestors().nth(2)) {
        let path = env::var_os("PATH").unwrap_or_default();
        let paths = [home.join("bin")].into_iter().chain(env::split_paths(&path));
        let path: OsString = env::join_paths(paths).map_err(|error| error.to_string())?;
        rebuild.env("PATH", path).env("npm_config_nodedir", home);
    }
    run(&mut rebuild, folder)
}

fn pinned_node(folder: &Path) -> Option<PathBuf> {
    folder.join("node_modules/.bin/node").canonicalize().ok()
}

/// A Python environment with the required packages of a peer; returns the folder of its programs.
pub(crate) fn python(peer: &str) -> Result<PathBuf, String> {
    require("python3", "Python 3.11 or later (Debian: apt install python3 python3-venv)")?;
    let folder = folder(peer);
    let environment = folder.join("environment");
    let file = "requirements.txt";
    fs::copy(sources(peer).join(file), folder.join(file)).map_err(|error| error.to_string())?;
    once(&folder, &[file], || {
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&environment), &folder)?;
        let mut install = Command::new(environment.join("bin/pip"));
        install.args(["install", "--disable-pip-version-check", "-r", file]);
        run(install.current_dir(&folder), &folder)
    })?;
    Ok(environment.join("bin"))
}

/// The pinned version of a package that a peer requires.
pub(crate) fn python_version(peer: &str, package: &str) -> String {
    let required = fs::read_to_string(sources(peer).join("requirements.txt")).unwrap_or_default();
    let version = required.lines().find_map(|line| line.strip_prefix(package)?.strip_prefix("=="));
    version.unwrap_or("unknown").to_owned()
}

/// A program in Rust, built from source; returns the path of the program.
pub(crate) fn rust(peer: &str) -> Result<PathBuf, String> {
    const FILES: [&str; 4] = ["Cargo.toml", "Cargo.lock", "src/main.rs", "pnpm"];
    const NEEDS: &str = "it needs cargo, a C compiler, protoc and libclang \
        (Debian: apt install gcc protobuf-compiler libclang-dev)";
    let (from, folder) = (sources(peer), folder(peer));
    let program = folder.join(peer);
    fs::create_dir_all(folder.join("src")).map_err(|error| error.to_string())?;
    for file in FILES {
        fs::copy(from.join(file), folder.join(file)).map_err(|error| error.to_string())?;
    }
    once(&folder, &FILES, || {
        eprintln!("a build of about 15 minutes on two cores, with 1 GB of files");
        let target = folder.join("target");
        let path = env::var_os("PATH").unwrap_or_default();
        let paths = [folder.clone()].into_iter().chain(env::split_paths(&path));
        let path: OsString = env::join_paths(paths).map_err(|error| error.to_string())?;
        let mut build = Command::new("cargo");
        build.args(["build", "--release", "--locked", "--target-dir"]).arg(&target);
        // Not with the settings of Patrol's own SQLite.
        build.current_dir(&folder).env("PATH", path).env("LIBSQLITE3_FLAGS", "");
        run(&mut build, &folder).map_err(|reason| format!("{reason}; {NEEDS}"))?;
        let built = target.join("release").join(format!("{peer}-peer"));
        fs::copy(built, &program).map_err(|error| error.to_string())?;
        fs::remove_dir_all(target).map_err(|error| error.to_string())
    })?;
    Ok(program)
}

/// The version of a package in the lock file of a peer.
pub(crate) fn rust_version(peer: &str, package: &str) -> String {
    let lock = fs::read_to_string(sources(peer).join("Cargo.lock")).unwrap_or_default();
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name).skip(1);
    let version = lines.next().and_then(|line| line.strip_prefix("version = "));
    version.unwrap_or("unknown").trim_matches('"').to_owned()
}

/// Installs what these files describe, unless it is done already.
fn once(
    folder: &Path,
    files: &[&str],
    install: impl FnOnce() -> Result<(), String>,
) -> Result<(), String> {
    let contents = files.iter().map(|file| fs::read(folder.join(file)));
    let contents: Vec<_> = contents.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    let wanted = contents.concat();
    let installed = folder.join("installed");
    if fs::read(&installed).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    eprintln!("installing into {}", folder.display());
    drop(fs::remove_file(&installed));
    install()?;
    fs::write(installed, wanted).map_err(|error| error.to_string())
}

fn require(program: &str, what: &str) -> Result<(), String> {
    let found = Command::new(program).arg("--version").output();
    let is_there = found.is_ok_and(|output| output.status.success());
    is_there.then_some(()).ok_or_else(|| format!("`{program}` is missing: it needs {what}"))
}

/// Runs a command to its end. Its output goes into a log in the folder.
pub(crate) fn run(command: &mut Command, folder: &Path) -> Result<(), String> {
    let log = folder.join("install.log");
    let said = File::create(&log).map_err(|error| error.to_string())?;
    let errors = said.try_clone().map_err(|error| error.to_string())?;
    command.stdin(Stdio::null()).stdout(said).stderr(errors);
    let status = command.status().map_err(|error| format!("{command:?}: {error}"))?;
    status.success().then_some(()).ok_or_else(|| {
        let program = command.get_program().to_string_lossy().into_owned();
        format!("{program} fails with {status}: {}", last_words(&log))
    })
}
