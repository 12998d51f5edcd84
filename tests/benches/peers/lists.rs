//! The lists that all servers are asked for, in terms that each server's query language expresses.

/// A list of 50 executions with its exact count.
pub(crate) struct List {
    /// What is listed, for the report.
    pub(crate) what: &'static str,
    pub(crate) filters: &'static [Filter],
    pub(crate) order: Order,
}

/// A condition; all of a list apply together.
#[derive(Clone, Copy)]
pub(crate) enum Filter {
    /// The location with this number.
    Location(u32),
    State(&'static str),
    Priority(&'static str),
    Published(bool),
    /// The tags contain this one.
    Tag(&'static str),
    /// The name contains this text.
    Name(&'static str),
    /// The planned period is between these times.
    Within(&'static str, &'static str),
}

/// Equal ones by id.
#[derive(Clone, Copy)]
pub(crate) enum Order {
    Id,
    Name,
    EarliestFirst,
    LatestFirst,
}

const MONTH: Filter = Filter::Within("2026-06-01T00:00:00.000Z", "2026-07-01T00:00:00.000Z");
const COMPLETED: Filter = Filter::State("COMPLETED");

/// The location whose executions are listed: one in 99 of all.
const LOCATION: Filter = Filter::Location(36);

/// The first one is measured as long as the reads by id.
pub(crate) const ALL: [List; 11] = [
    list("a location, latest first", &[LOCATION], Order::LatestFirst),
    list("all, by id", &[], Order::Id),
    list("all, by name", &[], Order::Name),
    list("a state, latest first", &[COMPLETED], Order::LatestFirst),
    list("a priority, latest first", &[Filter::Priority("MAJOR")], Order::LatestFirst),
    list("unpublished, latest first", &[Filter::Published(false)], Order::LatestFirst),
    list("a tag, latest first", &[Filter::Tag("audit")], Order::LatestFirst),
    list("a text in the name, by name", &[Filter::Name("обход 12")], Order::Name),
    list("a month, earliest first", &[MONTH], Order::EarliestFirst),
    list("a state in a month, latest first", &[COMPLETED, MONTH], Order::LatestFirst),
    list("a location in a month, by name", &[LOCATION, MONTH], Order::Name),
];

const fn list(what: &'static str, filters: &'static [Filter], order: Order) -> List {
    List { what, filters, order }
}
