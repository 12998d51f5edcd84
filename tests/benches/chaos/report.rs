//! The report.

use std::{collections::BTreeMap, fmt::Write as _, process::Command, time::Duration};

use patrol_tests::program;

use crate::{journal::Journal, machine, plan::Plan, service::Service};

/// The most errors shown for each scenario.
const MAX_SHOWN: usize = 10;

/// The results of a scenario.
#[derive(Default)]
pub(crate) struct Finding {
    name: &'static str,
    rounds: u32,
    acknowledged: u64,
    unacknowledged: u64,
    took_effect: u64,
    failures: BTreeMap<String, u64>,
    longest_outage: Option<Duration>,
    slowest: Option<Duration>,
    whole_after: Option<Duration>,
    peak: f64,
    lost: Vec<String>,
    wrong: Vec<String>,
    notes: Vec<String>,
}

impl Finding {
    /// No results yet.
    pub(crate) fn new(name: &'static str) -> Self {
        eprintln!("{name}");
        Self { name, ..Self::default() }
    }

    /// Records a round. `whole_after` is the time from the disturbance to full service.
    pub(crate) fn round(&mut self, whole_after: Option<Duration>, limit: Duration) {
        self.rounds += 1;
        match whole_after {
            Some(after) if after <= limit => {}
            Some(after) => self.wrong(format!("full service only after {}", seconds(after))),
            None => self.wrong("no full service any more".to_owned()),
        }
        self.whole_after = self.whole_after.max(whole_after);
    }

    /// Adds the results and journals of the clients.
    pub(crate) fn clients(&mut self, service: &Service, journals: Vec<Journal>) {
        let sights = service.sights();
        self.longest_outage = self.longest_outage.max(Some(sights.longest_outage));
        self.slowest = self.slowest.max(Some(sights.slowest));
        for (label, count) in sights.failures {
            *self.failures.entry(label).or_default() += count;
        }
        self.wrong.extend(sights.surprises.into_iter().map(|it| format!("unexpected: {it}")));
        for journal in journals {
            self.acknowledged += journal.acknowledged;
            self.unacknowledged += journal.unacknowledged;
            self.took_effect += journal.took_effect;
            self.lost.extend(journal.lost);
            self.wrong.extend(journal.unseen.into_iter().map(|it| format!("not seen: {it}")));
        }
    }

    /// Adds the memory of a node, in MB.
    pub(crate) fn memory(&mut self, peak: f64) {
        self.peak = self.peak.max(peak);
    }

    /// The slowest response may take this long, and a little longer on a busy machine.
    pub(crate) fn answers_within(&mut self, limit: Duration) {
        if let Some(slowest) = self.slowest.filter(|slowest| *slowest > limit) {
            self.wrong(format!("an answer took {}", seconds(slowest)));
        }
    }

    /// Records a broken guarantee.
    pub(crate) fn wrong(&mut self, what: impl Into<String>) {
        self.wrong.push(what.into());
    }

    /// Adds a sentence below the table.
    pub(crate) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// Whether all guarantees were kept.
    pub(crate) fn is_good(&self) -> bool {
        self.lost.is_empty() && self.wrong.is_empty()
    }

    fn cells(&self) -> [String; 10] {
        let failures = self.failures.iter().map(|(label, count)| format!("{count} × {label}"));
        let time = |time: Option<Duration>| time.map(seconds).unwrap_or_default();
        [
            self.name.to_owned(),
            self.rounds.to_string(),
            self.acknowledged.to_string(),
            self.lost.len().to_string(),
            format!("{} of {}", self.took_effect, self.unacknowledged),
            failures.collect::<Vec<_>>().join(", "),
            time(self.longest_outage),
            time(self.slowest),
            time(self.whole_after),
            format!("{:.0} MB", self.peak),
        ]
    }
}

const HEADS: [&str; 10] = [
    "scenario",
    "rounds",
    "acknowledged",
    "lost",
    "unacknowledged that took effect",
    "failures seen meanwhile",
    "longest outage of a client",
    "slowest answer",
    "full service after",
    "peak memory of a node",
];

/// All findings.
pub(crate) struct Report {
    findings: Vec<Finding>,
    notes: Vec<String>,
}

impl Report {
    /// An empty report with the circumstances of the run.
    pub(crate) fn new(plan: &Plan) -> Self {
        let command = if plan.is_quick { "CHAOS_QUICK=1 make chaos" } else { "make chaos" };
        let notes = vec![
            format!("command: `{command}`"),
            format!("date: {}", machine::says(Command::new("date").args(["-u", "+%F %R UTC"]))),
            format!("machine: {}; load before: {}", machine::describe(), machine::load()),
            format!(
                "versions: {}; {}",
                machine::says(Command::new(program()).arg("--version")),
                machine::says(Command::new("haproxy").arg("-v")),
            ),
        ];
        Self { findings: Vec::new(), notes }
    }

    /// Adds a line.
    pub(crate) fn add(&mut self, finding: Finding) {
        for (head, cell) in HEADS.iter().zip(finding.cells()).skip(1) {
            eprintln!("  {head}: {cell}");
        }
        for what in finding.lost.iter().chain(&finding.wrong).take(MAX_SHOWN) {
            eprintln!("  WRONG: {what}");
        }
        self.findings.push(finding);
    }

    /// Whether all guarantees were kept.
    pub(crate) fn is_good(&self) -> bool {
        self.findings.iter().all(Finding::is_good)
    }

    /// The table with its notes, in Markdown.
    pub(crate) fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let mut text = line(&HEADS.map(str::to_owned));
        text.push_str(&line(&HEADS.map(|_| "---".to_owned())));
        for finding in &self.findings {
            text.push_str(&line(&finding.cells()));
        }
        text.push('\n');
        let told = |finding: &Finding| {
            let name = finding.name;
            finding.notes.iter().map(|note| format!("{name}: {note}")).collect::<Vec<_>>()
        };
        for note in self.notes.iter().cloned().chain(self.findings.iter().flat_map(told)) {
            writeln!(text, "- {note}").expect("it can be written");
        }
        for finding in &self.findings {
            for what in finding.lost.iter().take(MAX_SHOWN) {
                writeln!(text, "- **lost** in {}: {what}", finding.name)
                    .expect("it can be written");
            }
            for what in finding.wrong.iter().take(MAX_SHOWN) {
                writeln!(text, "- **wrong** in {}: {what}", finding.name)
                    .expect("it can be written");
            }
        }
        text
    }

    /// The table for a terminal, with aligned columns.
    pub(crate) fn text(&self) -> String {
        let lines: Vec<_> = std::iter::once(HEADS.map(str::to_owned))
            .chain(self.findings.iter().map(Finding::cells))
            .collect();
        let wide = |at: usize| lines.iter().map(|line| line[at].chars().count()).max();
        let widths: Vec<_> = (0..HEADS.len()).map(|at| wide(at).unwrap_or_default()).collect();
        let mut text = String::new();
        for line in &lines {
            for (cell, width) in line.iter().zip(&widths) {
                write!(text, "{cell:width$}  ").expect("it can be written");
            }
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
        text
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}
