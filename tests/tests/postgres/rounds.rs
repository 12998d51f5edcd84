//! Several nodes make the rounds of the same schedules.

use std::{thread, time::Duration};

use patrol_tests::{
    Server, Store,
    company::{self, ADMIN},
    round::{DENSE, eventually, rounds, scheduled, starts},
};

/// How often one of the nodes is killed.
const KILLS: u64 = 20;

#[test]
fn two_nodes_of_which_one_is_killed_make_each_round_once() {
    let store = Store::postgres().and(&company::company());
    let token = store.token(ADMIN);
    let stays = Server::start(&store);
    let api = stays.api().with_token(&token);
    let names: Vec<_> = (0..6).map(|number| format!("Plan{number}")).collect();
    for run in 0..KILLS {
        let other = Server::start(&store);
        if let Some(name) = names.get(usize::try_from(run).unwrap_or(usize::MAX)) {
            let body = scheduled(name, DENSE);
            let created = other.api().with_token(&token).post("/scheduled-tasks", &body);
            assert_eq!(created.status, 201);
        }
        thread::sleep(Duration::from_millis(25 * run));
        other.kill();
    }
    for name in &names {
        let made = eventually(&format!("all of {name}"), || {
            Some(rounds(&api, name)).filter(|made| made.len() >= 14 * 96)
        });
        let starts = starts(&made);
        assert!(starts.len() <= 14 * 96 + 10, "{name}: {}", starts.len());
    }
}
