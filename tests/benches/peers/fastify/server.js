// The two reads of Patrol over its PostgreSQL tables, as one would write them with Fastify.
import { timingSafeEqual } from "node:crypto";
import cluster from "node:cluster";
import Fastify from "fastify";
import pg from "pg";

const { DATABASE_URL, TOKEN, HOST, PORT, PROCESSES } = process.env;

const STATES = ["PENDING", "IN_PROGRESS", "COMPLETED"];
const STATUSES = ["SUCCESS", "WARNING", "ERROR"];
const PRIORITIES = ["MINOR", "NORMAL", "MAJOR", "CRITICAL"];

const RECORD = `SELECT id, scheduled_task_id, name, description, location_id, performer_id, status,
  state, published, start_at, end_at, assignee_ids, series_id, priority, order_steps_required,
  strict_time_required, deadlined, tags, edited, started_at, ended_at, steps
  FROM task_executions WHERE id = $1`;
const ITEMS = `SELECT id, scheduled_task_id, performer_id, assignee_ids, name, state, status,
  start_at, end_at, started_at, ended_at, error_count, warning_count, priority, series_id,
  deadlined, published, edited, step_count, executed_step_count,
  location_id, tags, order_steps_required
  FROM task_executions`;
const COUNT = "SELECT count(*)::int AS count FROM task_executions";

// The condition of each parameter of the list, with `?` for its value.
const FILTERS = {
  locationId: ["location_id = ?", (value) => value],
  state: ["state = ?", (value) => STATES.indexOf(value)],
  priority: ["priority = ?", (value) => PRIORITIES.indexOf(value)],
  published: ["published = ?", (value) => value],
  tags: ["tags @> ARRAY[?]", (value) => value],
  name: ["name_folded LIKE ?", (value) => `%${value.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`],
  startAt: ["start_at > ?", (value) => value.slice("gt:".length)],
  endAt: ["end_at < ?", (value) => value.slice("lt:".length)],
};
const ORDERS = {
  id: "id",
  name: "name_folded, id",
  startAt: "start_at, id",
  "startAt,desc": "start_at DESC, id",
};

// Each text gets a name of its own, by which the driver prepares it once.
const names = new Map();
function prepared(text, values) {
  if (!names.has(text)) names.set(text, `list ${names.size}`);
  return { name: names.get(text), text, values };
}

const string = { type: "string" };
const integer = { type: "integer" };
const boolean = { type: "boolean" };
const optional = { type: "string", nullable: true };
const strings = { type: "array", items: string };
const time = { type: "string", format: "date-time" };
const optionalTime = { ...time, nullable: true };

// All members but the steps, which are passed on as they are stored.
const record = {
  type: "object",
  properties: {
    id: string, scheduledTaskId: string, name: string, description: optional, locationId: string,
    performerId: optional, status: optional, state: string, published: boolean, startAt: time,
    endAt: time, assigneeIds: strings, seriesId: optional, priority: string,
    orderStepsRequired: boolean, strictTimeRequired: boolean, deadlined: boolean, tags: strings,
    edited: boolean, startedAt: optionalTime, endedAt: optionalTime,
  },
};
const item = {
  type: "object",
  properties: {
    id: string, scheduledTaskId: string, performerId: optional, assigneeIds: strings, name: string,
    state: string, status: optional, startAt: time, endAt: time, startedAt: optionalTime,
    endedAt: optionalTime, totalExecutedTimeInMillis: integer, errorCount: integer,
    warningCount: integer, priority: string, seriesId: optional, assigned: boolean,
    deadlined: boolean, published: boolean, edited: boolean, stepCount: integer,
    executedStepCount: integer, locationId: string, tags: strings, orderStepsRequired: boolean,
  },
};
const pair = (value) => ({ type: "array", items: { type: "object", properties: value } });
const page = {
  type: "object",
  properties: {
    data: { type: "array", items: item },
    meta: {
      type: "object",
      properties: {
        offset: integer, limit: integer, count: integer,
        sort: pair({ property: string, direction: string }),
      },
    },
    filter: pair({ property: string, value: string }),
  },
};

function toRecord(row) {
  return {
    id: row.id,
    scheduledTaskId: row.scheduled_task_id,
    name: row.name,
    description: row.description,
    locationId: row.location_id,
    performerId: row.performer_id,
    status: row.status === null ? null : STATUSES[row.status],
    state: STATES[row.state],
    published: row.published,
    startAt: row.start_at,
    endAt: row.end_at,
    assigneeIds: row.assignee_ids,
    seriesId: row.series_id,
    priority: PRIORITIES[row.priority],
    orderStepsRequired: row.order_steps_required,
    strictTimeRequired: row.strict_time_required,
    deadlined: row.deadlined,
    tags: row.tags,
    edited: row.edited,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  };
}

function toItem(row) {
  const end = row.ended_at ?? new Date();
  return {
    id: row.id,
    scheduledTaskId: row.scheduled_task_id,
    performerId: row.performer_id,
    assigneeIds: row.assignee_ids,
    name: row.name,
    state: STATES[row.state],
    status: row.status === null ? null : STATUSES[row.status],
    startAt: row.start_at,
    endAt: row.end_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    totalExecutedTimeInMillis: row.started_at === null ? 0 : Math.max(end - row.started_at, 0),
    errorCount: row.error_count,
    warningCount: row.warning_count,
    priority: PRIORITIES[row.priority],
    seriesId: row.series_id,
    assigned: row.assignee_ids.length > 0,
    deadlined: row.deadlined,
    published: row.published,
    edited: row.edited,
    stepCount: row.step_count,
    executedStepCount: row.executed_step_count,
    locationId: row.location_id,
    tags: row.tags,
    orderStepsRequired: row.order_steps_required,
  };
}

async function serve() {
  // The document of the steps stays text.
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.JSON, (text) => text);
  const pool = new pg.Pool({ connectionString: DATABASE_URL, types, max: 10 });

  const app = Fastify();
  const expected = Buffer.from(`Bearer ${TOKEN}`);
  app.addHook("onRequest", async (request, reply) => {
    const given = Buffer.from(request.headers.authorization ?? "");
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      return reply.code(401).send({ code: "unauthorized" });
    }
  });

  const id = { type: "string", format: "uuid" };
  app.get(
    "/v1/task-executions/:id",
    { schema: { params: { type: "object", properties: { id } }, response: { 200: record } } },
    async (request, reply) => {
      const found = await pool.query({ name: "record", text: RECORD, values: [request.params.id] });
      const row = found.rows[0];
      if (row === undefined) return reply.code(404).send({ code: "not.found" });
      const head = reply.serializeInput(toRecord(row), 200);
      reply.header("content-type", "application/json; charset=utf-8");
      // Text is sent as it is where there is no schema to serialize it by.
      return reply.serializer((text) => text).send(`${head.slice(0, -1)},"steps":${row.steps}}`);
    },
  );

  const querystring = {
    type: "object",
    properties: {
      locationId: id,
      state: { type: "string", enum: STATES },
      priority: { type: "string", enum: PRIORITIES },
      published: boolean,
      tags: string,
      name: string,
      startAt: { type: "string", pattern: "^gt:" },
      endAt: { type: "string", pattern: "^lt:" },
      sort: { type: "string", enum: Object.keys(ORDERS), default: "id" },
      limit: { type: "integer", minimum: 0, maximum: 1000, default: 50 },
      offset: { type: "integer", minimum: 0, default: 0 },
    },
  };
  app.get(
    "/v1/task-executions/info",
    { schema: { querystring, response: { 200: page } } },
    async (request) => {
      const { sort, limit, offset, ...filters } = request.query;
      const given = Object.entries(filters).filter(([name]) => name in FILTERS);
      const tests = given.map(([name], at) => FILTERS[name][0].replace("?", `$${at + 1}`));
      const values = given.map(([name, value]) => FILTERS[name][1](value));
      const where = tests.length === 0 ? "" : ` WHERE ${tests.join(" AND ")}`;
      const last = `LIMIT $${values.length + 1} OFFSET $${values.length + 2}`;
      const text = `${ITEMS}${where} ORDER BY ${ORDERS[sort]} ${last}`;
      const [rows, counted] = await Promise.all([
        pool.query(prepared(text, [...values, limit, offset])),
        pool.query(prepared(`${COUNT}${where}`, values)),
      ]);
      const [property, direction = "asc"] = sort.split(",");
      return {
        data: rows.rows.map(toItem),
        meta: { offset, limit, count: counted.rows[0].count, sort: [{ property, direction }] },
        filter: given.map(([property, value]) => ({ property, value })),
      };
    },
  );
  await app.listen({ host: HOST, port: Number(PORT) });
}

if (cluster.isPrimary) {
  for (let started = 0; started < Number(PROCESSES); started += 1) cluster.fork();
} else {
  await serve();
}
