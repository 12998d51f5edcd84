//! The memory for request bodies.

#[cfg(target_os = "linux")]
use patrol_tests::{Running, Store, Wire, company, execution_id, planned};

#[cfg(target_os = "linux")]
use super::{head, rename};

const MIB: usize = 1 << 20;

/// The number of bodies whose last byte is held back, and the memory budget for them.
const BODIES: usize = 120;
const BUDGET: usize = 32 * MIB;

#[cfg(target_os = "linux")]
#[test]
fn bodies_that_do_not_end_take_bounded_memory() {
    let store = Store::with(&company::company().and([planned(1)]));
    let running = Running::set(store, &[("PATROL_BODIES", "32MiB")]);
    let path = format!("/v1/task-executions/{}", execution_id(1));
    let head = head(&running, &format!("PATCH {path} HTTP/1.1"));
    let head = format!("{head}Content-Length: {}\r\n\r\n", 2 * MIB);
    let part = vec![b' '; 2 * MIB - 1];
    let before = running.server.peak_memory();
    let send = || {
        let mut wire = Wire::connect(running.server.address());
        wire.send(&head);
        wire.send(&part);
        wire
    };
    let mut open: Vec<_> = (0..BODIES).map(|_| send()).collect();
    // The last sixteenth is reserved for small bodies.
    let mut small = Wire::connect(running.server.address());
    small.send(rename(&running, "small"));
    assert_eq!(small.read_status(), 200);
    // Threads read bodies in any order and answer 400 to those that took 30 s, so a body that
    // comes now finds no memory as soon as the others have been read.
    let refused = (0..60).find_map(|_| {
        let mut wire = send();
        let answer = wire.read_to_end_within(std::time::Duration::from_secs(3));
        open.push(wire);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        answer.starts_with("HTTP/1.1 503").then_some(answer)
    });
    let refused = refused.expect("a body for which there is no memory is refused");
    assert!(refused.contains("\r\nretry-after: 1\r\n"), "{refused}");
    let grown = running.server.peak_growth(before);
    eprintln!("{grown} bytes for {BODIES} bodies of 2 MiB");
    // Without a budget the growth would be more than half a gigabyte.
    assert!(grown < BUDGET + 192 * MIB, "{grown} bytes for {BODIES} bodies of 2 MiB");
    drop(open);
    // All memory is available again.
    let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
    loop {
        let body = format!("{{\"name\":\"large\"{}}}", " ".repeat(MIB));
        let answer = running.admin.text("PATCH", &path["/v1".len()..], body);
        if answer.status == 200 {
            break;
        }
        assert!(std::time::Instant::now() < until, "{}", answer.status);
    }
}
