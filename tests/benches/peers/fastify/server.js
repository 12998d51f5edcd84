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
  deadlined, published, edited, step_count, executed_step_count
  FROM task_executions WHERE location_id = $1`;
const COUNT = "SELECT count(*)::int AS count FROM task_executions WHERE location_id = $1";
const PAGES = {
  "startAt,asc": { name: "ascending", text: `${ITEMS} ORDER BY start_at, id LIMIT $2 OFFSET $3` },
  "startAt,desc": {
    name: "descending",
    text: `${ITEMS} ORDER BY start_at DESC, id LIMIT $2 OFFSET $3`,
  },
};

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
    executedStepCount: integer,
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
    required: ["locationId"],
    properties: {
      locationId: id,
      sort: { type: "string", enum: Object.keys(PAGES), default: "startAt,asc" },
      limit: { type: "integer", minimum: 0, maximum: 1000, default: 50 },
      offset: { type: "integer", minimum: 0, default: 0 },
    },
  };
  app.get(
    "/v1/task-executions/info",
    { schema: { querystring, response: { 200: page } } },
    async (request) => {
      const { locationId, sort, limit, offset } = request.query;
      const [rows, counted] = await Promise.all([
        pool.query({ ...PAGES[sort], values: [locationId, limit, offset] }),
        pool.query({ name: "count", text: COUNT, values: [locationId] }),
      ]);
      const [property, direction] = sort.split(",");
      return {
        data: rows.rows.map(toItem),
        meta: { offset, limit, count: counted.rows[0].count, sort: [{ property, direction }] },
        filter: [{ property: "locationId", value: locationId }],
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
