//! Tables as Markdown, each with a chart.

use std::{fmt::Write as _, fs, path::PathBuf, process::Command};

use super::{
    load, machine,
    plan::Plan,
    store,
    svg::{self, Bar},
};
use crate::program;

/// A line of a table of goals.
#[derive(Clone, Debug)]
pub struct Row {
    what: String,
    measured: String,
    against: String,
    ratio: String,
    goal: String,
    /// The result divided by the goal.
    score: Option<f64>,
}

impl Row {
    /// A measured value.
    #[must_use]
    pub fn new(what: impl Into<String>, measured: impl Into<String>) -> Self {
        let [against, ratio, goal] = [const { String::new() }; 3];
        let (what, measured) = (what.into(), measured.into());
        Self { what, measured, against, ratio, goal, score: None }
    }

    /// Adds the value that it is compared with.
    #[must_use]
    pub fn against(mut self, against: impl Into<String>, ratio: f64) -> Self {
        self.against = against.into();
        self.ratio = format!("{ratio:.2}");
        self
    }

    /// Adds a remark on the circumstances.
    #[must_use]
    pub fn beside(mut self, beside: impl Into<String>) -> Self {
        self.against = beside.into();
        self
    }

    /// Sets the least value, or ratio, as the goal.
    #[must_use]
    pub fn at_least(mut self, value: f64, goal: f64) -> Self {
        let least = if goal < 1e3 { goal.to_string() } else { grouped(goal) };
        self.goal = format!("≥ {least}{}", missed(value < goal));
        self.score = Some(value / goal);
        self
    }

    /// Sets the greatest value, or ratio, as the goal.
    #[must_use]
    pub fn at_most(mut self, value: f64, goal: f64, unit: &str) -> Self {
        self.goal = format!("≤ {goal} {unit}").trim_end().to_owned() + missed(value > goal);
        // None of none is as good as can be.
        self.score = Some(if value == goal { 1.0 } else { goal / value });
        self
    }

    /// The bar in the chart, if there is a goal.
    fn bar(&self) -> Option<Bar> {
        let score = self.score?;
        let goal = self.goal.rsplit_once(", ").map_or("", |(goal, _)| goal);
        let figure = match self.ratio.as_str() {
            "" => self.measured.clone(),
            ratio => format!("{ratio} × {}", self.against),
        };
        Some(Bar { label: self.what.clone(), value: score, text: format!("{figure} ({goal})") })
    }
}

/// A rate, in whole numbers.
#[must_use]
pub fn rate(per_second: f64) -> String {
    format!("{}/s", grouped(per_second))
}

/// A whole number with commas.
#[must_use]
pub fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(",")
}

fn missed(is_missed: bool) -> &'static str {
    if is_missed { ", **missed**" } else { ", met" }
}

/// A table of measurements with goals. Its chart shows the distance of each from its goal.
#[derive(Clone, Debug)]
pub struct Goals {
    name: String,
    title: String,
    rows: Vec<Row>,
}

impl Goals {
    /// An empty table; `name` is the file name of its chart.
    #[must_use]
    pub fn new(name: &str, title: &str) -> Self {
        eprintln!("\n{title}");
        Self { name: name.to_owned(), title: title.to_owned(), rows: Vec::new() }
    }

    /// Adds a line.
    pub fn add(&mut self, row: Row) {
        let Row { what, measured, against, ratio, goal, score: _ } = &row;
        eprintln!("{what}: {measured} | {against} | {ratio} | {goal}");
        self.rows.push(row);
    }

    /// The table.
    #[must_use]
    pub fn table(&self) -> Table {
        let bars: Vec<_> = self.rows.iter().filter_map(Row::bar).collect();
        let line = |Row { what, measured, against, ratio, goal, score: _ }: &Row| {
            [what, measured, against, ratio, goal].map(Clone::clone).to_vec()
        };
        Table {
            name: self.name.clone(),
            title: self.title.clone(),
            head: ["what", "measured", "against", "ratio", "goal"].map(str::to_owned).to_vec(),
            lines: self.rows.iter().map(line).collect(),
            picture: svg::goals(&self.title, &bars),
        }
    }
}

/// A table with its chart.
#[derive(Clone, Debug)]
pub struct Table {
    /// The file name of the chart, without `.svg`.
    pub name: String,
    /// The title.
    pub title: String,
    /// The names of the columns.
    pub head: Vec<String>,
    /// The cells.
    pub lines: Vec<Vec<String>>,
    /// The chart as SVG.
    pub picture: String,
}

/// All results and the circumstances. The file is written again with each table, so that a late
/// failure does not lose the earlier results.
#[derive(Clone, Debug)]
pub struct Report {
    file: PathBuf,
    title: String,
    notes: Vec<String>,
    tables: Vec<Table>,
}

impl Report {
    /// An empty report in a file of `target/bench`. `command` repeats the measurements.
    #[must_use]
    pub fn new(file: &str, title: &str, command: &str, plan: &Plan) -> Self {
        let wrk = machine::says(Command::new("wrk").arg("-v"));
        let wrk = wrk.split(" [").next().unwrap_or_default();
        let notes = vec![
            format!(
                "command: `{}{command}`, {} executions, commit {}",
                plan.variables(),
                grouped(plan.executions.into()),
                machine::says(Command::new("git").args(["describe", "--always", "--dirty"])),
            ),
            format!("date: {}", machine::says(Command::new("date").args(["-u", "+%F %R UTC"]))),
            format!("machine: {}; load before: {}", machine::describe(), machine::load()),
            format!(
                "versions: {}; {}; {wrk}",
                machine::says(Command::new(program()).arg("--version")),
                machine::says(Command::new("rustc").arg("-V")),
            ),
            format!(
                "load: wrk {}, on the same machine; {} rounds of {} s each, in turn with what is \
                 compared, after one that does not count; medians",
                load::arguments(),
                plan.rounds,
                plan.seconds,
            ),
        ];
        let file = store::directory().join(file);
        Self { file, title: title.to_owned(), notes, tables: Vec::new() }
    }

    /// Adds a sentence on the circumstances.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// Adds a table, and writes the report and the chart.
    ///
    /// # Panics
    /// When a file cannot be written.
    pub fn add(&mut self, table: Table) {
        let picture = self.file.with_file_name(format!("{}.svg", table.name));
        fs::write(picture, &table.picture).expect("the picture is written");
        self.tables.push(table);
        self.write();
    }

    /// Writes the report, and prints it.
    ///
    /// # Panics
    /// When the file cannot be written.
    pub fn finish(&self) {
        self.write();
        println!("\n{}\nwritten to {}", self.markdown(), self.file.display());
    }

    fn write(&self) {
        fs::write(&self.file, self.markdown()).expect("the report is written");
    }

    fn markdown(&self) -> String {
        let mut text = format!("# {}\n\n", self.title);
        for note in &self.notes {
            writeln!(text, "- {note}").unwrap();
        }
        for Table { name, title, head, lines, picture: _ } in &self.tables {
            writeln!(text, "\n## {title}\n\n![{title}]({name}.svg)\n").unwrap();
            writeln!(text, "| {} |\n|{}", head.join(" | "), "---|".repeat(head.len())).unwrap();
            for line in lines {
                writeln!(text, "| {} |", line.join(" | ")).unwrap();
            }
        }
        text
    }
}
