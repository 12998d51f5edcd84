//! Runs the commands of the book, page by page, and compares the answers that it shows.
//! `docs/development.md` has the rules for those who write pages.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test reports by panicking"
)]

mod answer;
mod markdown;
mod page;
mod place;

use std::{collections::BTreeSet, fs, path::Path};

use markdown::Kind;

/// A test for each page, and the list of all.
macro_rules! pages {
    ($($name:ident: $page:literal,)*) => {
        $(#[test]
        fn $name() {
            page::run($page);
        })*

        const PAGES: &[&str] = &[$($page),*];
    };
}

pages! {
    readme: "README.md",
    authentication: "docs/api/authentication.md",
    check_lists: "docs/api/check-lists.md",
    graphic_plans: "docs/api/graphic-plans.md",
    figures: "docs/api/figures.md",
    reports: "docs/api/reports.md",
    media: "docs/api/media.md",
    conventions: "docs/api/conventions.md",
    errors: "docs/api/errors.md",
    events: "docs/api/events.md",
    lists: "docs/api/lists.md",
    locations: "docs/api/locations.md",
    photos: "docs/api/photos.md",
    points: "docs/api/points.md",
    retries: "docs/api/retries.md",
    schedules: "docs/api/schedules.md",
    task_executions: "docs/api/task-executions.md",
    scheduled_tasks: "docs/api/scheduled-tasks.md",
    users: "docs/api/users.md",
    data_set: "docs/data-set.md",
    operating: "docs/operating.md",
    postgresql: "docs/postgresql.md",
    recipe_a_company_from_nothing: "docs/recipes/a-company-from-nothing.md",
    recipe_a_phone_in_the_local_network: "docs/recipes/a-phone-in-the-local-network.md",
    recipe_a_round_from_a_device: "docs/recipes/a-round-from-a-device.md",
    recipe_backup: "docs/recipes/backup.md",
    recipe_events: "docs/recipes/events.md",
    recipe_filters: "docs/recipes/filters.md",
    recipe_identity_provider: "docs/recipes/identity-provider.md",
    recipe_long_lists: "docs/recipes/long-lists.md",
    recipe_nodes: "docs/recipes/nodes.md",
    recipe_series: "docs/recipes/series.md",
    recipe_to_postgresql: "docs/recipes/to-postgresql.md",
    recipe_upgrade: "docs/recipes/upgrade.md",
    site: "docs/site.md",
}

/// The blocks that are not run: page and reason, in the order of the pages.
const NOT_RUN: &str = include_str!("not-run.txt");

/// All pages with blocks.
fn all_pages() -> BTreeSet<String> {
    let root = page::root();
    let mut found = BTreeSet::from(["README.md".to_owned()]);
    let mut folders = vec![root.join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the book") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                let name: &Path = path.strip_prefix(&root).expect("in the repository");
                found.insert(name.to_str().expect("a plain name").to_owned());
            }
        }
    }
    found
}

#[test]
fn every_page_with_commands_has_a_test() {
    let has_commands = |page: &String| {
        markdown::blocks(&page::text(page)).iter().any(|block| block.kind == Kind::Commands)
    };
    let pages: BTreeSet<_> = all_pages().into_iter().filter(has_commands).collect();
    let tested: BTreeSet<_> = PAGES.iter().map(|page| (*page).to_owned()).collect();
    assert_eq!(pages, tested, "pages with commands, and pages with a test in tests/book/main.rs");
}

#[test]
fn no_block_of_another_language_has_commands() {
    for page in all_pages() {
        for block in markdown::blocks(&page::text(&page)) {
            assert!(!block.hides_commands(), "{page}:{}: mark it as sh", block.line);
        }
    }
}

#[test]
fn the_list_of_blocks_that_are_not_run_is_complete() {
    let mut found = String::new();
    for page in all_pages() {
        for block in markdown::blocks(&page::text(&page)) {
            if let Kind::NotRun(reason) = block.kind {
                assert!(!reason.is_empty(), "{page}:{}: a reason", block.line);
                found.push_str(&format!("{page}: {reason}\n"));
            }
        }
    }
    assert_eq!(found, NOT_RUN, "tests/tests/book/not-run.txt has to be:\n{found}");
}
