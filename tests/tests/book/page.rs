//! Runs a page of the book: its commands in one shell, from top to bottom, in a new folder.

use std::{
    env,
    fmt::Write as _,
    fs::{self, File},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use patrol_tests::program;
use tempfile::TempDir;

use crate::{
    answer,
    markdown::{Block, Kind, blocks},
    place::Place,
};

/// The most time that a page may take; generous, because test machines are busy.
const PATIENCE: Duration = Duration::from_secs(300);

const FUNCTIONS: &str = include_str!("shell.sh");

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests is in the repository").to_owned()
}

/// The text of a page.
pub(crate) fn text(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Runs all commands of a page and compares the answers.
///
/// # Panics
/// When a command fails, or an answer differs.
pub(crate) fn run(name: &str) {
    let page = blocks(&text(name));
    for block in &page {
        let Block { line, kind, .. } = block;
        assert!(
            *kind != Kind::Other { after_commands: true },
            "{name}:{line}: a block after commands is their answer: mark it `text answer` or \
             `json answer`, or put a sentence between"
        );
    }
    check_programs(&page);
    let commands: Vec<_> = page.iter().filter(|block| block.kind == Kind::Commands).collect();
    let run = Run::new(&page);
    let script = run.script(name, &commands);
    let status = run.execute(&script);
    let failed = run.read("at").trim().parse::<usize>().ok().filter(|_| !status.success());
    if let Some(Block { line, text, .. }) = failed.and_then(|at| commands.get(at)) {
        let output = run.output(failed.unwrap_or_default());
        panic!("{name}:{line}: {status}:\n{text}printed\n{output}\n{}", run.circumstances());
    }
    assert!(status.success(), "{name}: {status}\n{}", run.circumstances());
    let faults = run.faults(&page);
    assert!(faults.is_empty(), "{name}{faults}\n{}", run.circumstances());
}

/// Fails when a program is missing that the commands of many pages use.
fn check_programs(page: &[Block]) {
    let used = |program: &str| {
        let mut words = page.iter().flat_map(|block| block.text.split_whitespace());
        words.any(|word| word == program)
    };
    let path = env::var_os("PATH").unwrap_or_default();
    let missing = |program: &str| !env::split_paths(&path).any(|at| at.join(program).is_file());
    for program in ["curl", "jq", "node", "npm"] {
        assert!(
            !(used(program) && missing(program)),
            "the commands of the book need {program}; Debian: apt-get install curl jq nodejs npm"
        );
    }
}

/// A page that is being run.
struct Run {
    folder: TempDir,
    place: Place,
}

impl Run {
    fn new(page: &[Block]) -> Self {
        let folder = TempDir::with_prefix("patrol-book-").expect("a temporary directory");
        for part in ["page", "programs", "printed", "home"] {
            fs::create_dir(folder.path().join(part)).expect("a folder");
        }
        std::os::unix::fs::symlink(program(), folder.path().join("programs/patrol"))
            .expect("a link");
        let all: String = page.iter().map(|block| block.text.as_str()).collect();
        let place = Place::new(&all);
        let run = Self { folder, place };
        if all.contains("company.ndjson") {
            fs::write(run.path("page/company.ndjson"), company()).expect("a file");
        }
        run.place.write_passwords(&run.path("home/.pgpass"));
        run
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        let bytes = fs::read(self.path(name)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// What the commands of a block printed, with the addresses of the page.
    fn output(&self, number: usize) -> String {
        self.place.as_shown(&self.read(&format!("printed/{number}")))
    }

    /// The commands of the page as one script, which notes where it is.
    fn script(&self, name: &str, commands: &[&Block]) -> String {
        let mut script = format!("{FUNCTIONS}\nset -e\n");
        if name.starts_with("docs/api/") {
            // These pages say what they start from: a demo, and the variables of the conventions.
            let conventions = blocks(&text("docs/api/conventions.md"));
            let variables = &conventions.first().expect("the variables").text;
            script.push_str("book_serve --demo >/dev/null\n");
            script.push_str(&self.place.to_run(variables));
        }
        for (number, Block { text, .. }) in commands.iter().enumerate() {
            let text = self.place.to_run(text);
            let printed = format!("\"$BOOK/printed/{number}\"");
            writeln!(script, "echo {number} >\"$BOOK/at\"\n{{\n:\n{text}}} >{printed} 2>&1")
                .expect("a string");
        }
        script.push_str("book_stop\n");
        script
    }

    /// Runs the script to its end, and ends all that it left behind.
    fn execute(&self, script: &str) -> ExitStatus {
        let file = self.path("script");
        fs::write(&file, script).expect("a file");
        let shell = File::create(self.path("shell")).expect("a file");
        let path = self.place.search_path(&self.path("programs"));
        let mut command = Command::new("bash");
        for (name, _) in env::vars_os() {
            let text = name.to_string_lossy();
            if ["PATROL_", "PG", "AWS_"].iter().any(|prefix| text.starts_with(prefix)) {
                command.env_remove(name);
            }
        }
        let mut child = command
            .arg(file)
            .current_dir(self.path("page"))
            .env("BOOK", self.folder.path())
            .env("HOME", self.path("home"))
            .env("PATH", path)
            .env("PATROL_LISTEN", self.place.address())
            .env("NO_PROXY", "127.0.0.1")
            .env("LC_ALL", "C.UTF-8")
            .envs(self.place.variables())
            .stdin(Stdio::null())
            .stdout(shell.try_clone().expect("a second handle"))
            .stderr(shell)
            .process_group(0)
            .spawn()
            .expect("bash runs");
        let status = ended(&mut child);
        // What the page left in the background.
        let group = format!("kill -KILL -- -{} 2>/dev/null", child.id());
        drop(Command::new("bash").args(["-c", &group]).status());
        status.unwrap_or_else(|| panic!("does not end\n{}", self.circumstances()))
    }

    /// Every answer that differs, and every error that no answer shows.
    fn faults(&self, page: &[Block]) -> String {
        let mut faults = String::new();
        let mut number = 0;
        for (at, Block { line, kind, .. }) in page.iter().enumerate() {
            if *kind != Kind::Commands {
                continue;
            }
            let output = self.output(number);
            number += 1;
            let answer = page.get(at + 1);
            let compared = match answer.map(|block| (&block.kind, &block.text)) {
                Some((Kind::Answer { json }, shown)) => answer::compare(shown, &output, *json),
                _ if answer::has_error(&output) => Err(format!("an error:\n{output}")),
                _ => Ok(()),
            };
            if let Err(fault) = compared {
                writeln!(faults, ":{line}: {fault}").expect("a string");
            }
        }
        faults
    }

    /// What else helps to understand a failure.
    fn circumstances(&self) -> String {
        let (shell, log) = (self.read("shell"), self.read("log"));
        format!("the shell said:\n{shell}\nthe log of the last server:\n{log}")
    }
}

/// The data set that stands for the one of the reader: the example of its page.
fn company() -> String {
    let page = blocks(&text("docs/data-set.md"));
    let example = &page.first().expect("the example").text;
    let lines = example.lines().filter(|line| line.starts_with('{'));
    lines.flat_map(|line| [line, "\n"]).collect()
}

fn ended(child: &mut Child) -> Option<ExitStatus> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            return Some(status);
        }
        thread::sleep(Duration::from_millis(20));
    }
    None
}
