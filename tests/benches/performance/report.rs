//! The table.

use std::{fmt::Write as _, process::Command};

use patrol_tests::program;

use crate::{bench::Plan, load::WRK, machine};

/// A line of the table.
pub(crate) struct Row {
    what: String,
    measured: String,
    against: String,
    ratio: String,
    goal: String,
}

impl Row {
    /// Something that was measured.
    pub(crate) fn new(what: impl Into<String>, measured: impl Into<String>) -> Self {
        let [against, ratio, goal] = [const { String::new() }; 3];
        Self { what: what.into(), measured: measured.into(), against, ratio, goal }
    }

    /// What it is compared with.
    pub(crate) fn against(mut self, against: impl Into<String>, ratio: f64) -> Self {
        self.against = against.into();
        self.ratio = format!("{ratio:.2}");
        self
    }

    /// The least that it, or the ratio, has to be.
    pub(crate) fn at_least(mut self, value: f64, goal: f64) -> Self {
        self.goal = format!("≥ {goal}{}", missed(value < goal));
        self
    }

    /// The most that it, or the ratio, may be.
    pub(crate) fn at_most(mut self, value: f64, goal: f64, unit: &str) -> Self {
        self.goal = format!("≤ {goal} {unit}").trim_end().to_owned() + missed(value > goal);
        self
    }
}

fn missed(is_missed: bool) -> &'static str {
    if is_missed { ", **missed**" } else { ", met" }
}

/// All that was measured.
pub(crate) struct Report {
    rows: Vec<Row>,
    notes: Vec<String>,
}

impl Report {
    /// An empty table, with what is known before.
    pub(crate) fn new(plan: &Plan) -> Self {
        let mut command = String::from("make bench");
        if plan.quick {
            command.insert_str(0, "BENCH_QUICK=1 ");
        }
        let wrk = machine::says(Command::new("wrk").arg("-v"));
        let wrk = wrk.split(" Copyright").next().unwrap_or_default();
        let notes = vec![
            format!("command: `{command}`, {} executions", plan.executions),
            format!("date: {}", machine::says(Command::new("date").args(["-u", "+%F %R UTC"]))),
            format!("machine: {}; load before: {}", machine::describe(), machine::load()),
            format!(
                "versions: {}; {}; {wrk}",
                machine::says(Command::new("rustc").arg("-V")),
                machine::says(Command::new(program()).arg("--version")),
            ),
            format!("load: wrk {}; {} rounds of {} s", WRK.join(" "), plan.rounds, plan.seconds),
        ];
        Self { rows: Vec::new(), notes }
    }

    /// A line more.
    pub(crate) fn add(&mut self, row: Row) {
        eprintln!("{}: {} {} {}", row.what, row.measured, row.ratio, row.goal);
        self.rows.push(row);
    }

    /// A sentence below the table.
    pub(crate) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// The table with its notes, in Markdown.
    pub(crate) fn markdown(&self) -> String {
        let mut text =
            "| what | measured | against | ratio | goal |\n|---|---|---|---|---|\n".to_owned();
        for Row { what, measured, against, ratio, goal } in &self.rows {
            writeln!(text, "| {what} | {measured} | {against} | {ratio} | {goal} |").unwrap();
        }
        text.push('\n');
        for note in &self.notes {
            writeln!(text, "- {note}").unwrap();
        }
        text
    }
}
