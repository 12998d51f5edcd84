// The collection that the executions are in, with the members that Patrol answers, and a view of what
// a list tells of them: without it, each item of a list would be read with its steps.
migrate((app) => {
  const text = (name, required = true) => ({ name, type: "text", required, max: 5000 });
  const date = (name, required = true) => ({ name, type: "date", required });
  const number = (name) => ({ name, type: "number", onlyInt: true });
  const bool = (name) => ({ name, type: "bool" });
  const json = (name) => ({ name, type: "json", maxSize: 1000000 });
  app.save(new Collection({
    name: "executions",
    type: "base",
    listRule: "@request.auth.id != ''",
    viewRule: "@request.auth.id != ''",
    fields: [
      // The ids are Patrol's.
      { name: "id", type: "text", primaryKey: true, required: true, system: true,
        min: 36, max: 36, pattern: "^[0-9a-f-]+$" },
      text("scheduledTaskId"), text("name"), text("description", false), text("locationId"),
      text("performerId", false), text("status", false), text("state"), bool("published"),
      date("startAt"), date("endAt"), json("assigneeIds"), text("seriesId", false),
      text("priority"), bool("orderStepsRequired"), bool("strictTimeRequired"), bool("deadlined"),
      json("tags"), bool("edited"), date("startedAt", false), date("endedAt", false),
      number("errorCount"), number("warningCount"), number("stepCount"),
      number("executedStepCount"),
      // The large document is the last column, so that a list of the others does not read it.
      json("steps"),
    ],
    // For each filter in the order of its lists; `endAt`, so that a month is counted from the index,
    // and the tags, whose text is searched there instead of in the table.
    indexes: [
      "CREATE INDEX executions_by_location ON executions (locationId, startAt DESC, id, endAt)",
      "CREATE INDEX executions_by_state ON executions (state, startAt DESC, id, endAt)",
      "CREATE INDEX executions_by_priority ON executions (priority, startAt DESC, id)",
      "CREATE INDEX executions_by_published ON executions (published, startAt DESC, id)",
      "CREATE INDEX executions_by_start ON executions (startAt, id, endAt)",
      "CREATE INDEX executions_by_name ON executions (name, id)",
      "CREATE INDEX executions_by_tags ON executions (startAt DESC, id, tags)",
    ],
  }));
  app.save(new Collection({
    name: "summaries",
    type: "view",
    listRule: "@request.auth.id != ''",
    viewRule: "@request.auth.id != ''",
    viewQuery: `SELECT id, scheduledTaskId, performerId, assigneeIds, name, state, status, startAt,
      endAt, startedAt, endedAt, errorCount, warningCount, priority, seriesId, deadlined, published,
      edited, stepCount, executedStepCount, locationId, tags, orderStepsRequired FROM executions`,
  }));
});
