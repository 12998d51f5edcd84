// The queue against a model of the service: a random presser while everything fails. What was recorded is in
// the service exactly once, in order, with its files. GUARD_SEED repeats a run.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";

const require = createRequire(`${process.env.GUARD_TOOLS}/`);
require("fake-indexeddb/auto");
const { forceCloseDatabase } = require("fake-indexeddb");
const { Store } = await import(`${process.env.GUARD}/store.js`);
const { Sync } = await import(`${process.env.GUARD}/sync.js`);
const { waitAfter } = await import(`${process.env.GUARD}/rules/queue.js`);

const ANN = { userId: "ann", name: "Ann Guard", role: "EMPLOYEE", language: "en", csrf: "ann-1" };
const BO = { ...ANN, userId: "bo", name: "Bo Guard", csrf: "bo-1" };
const NEVER = new Promise(() => {});

/** Random numbers that a seed repeats (mulberry32). */
function randomOf(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** The service: what it has taken, who is signed in, and how it fails. */
class Service {
  entries = new Map();
  files = new Map();
  person = ANN;
  failing = 0;
  /** The most entries that it takes at once. */
  most = 1000;

  constructor(random) {
    this.random = random;
  }

  /** What comes back for a request: nothing, nonsense, or the answer; with or without its effect. */
  answer(csrf, work) {
    const fails = this.random() < this.failing;
    const kind = Math.floor(this.random() * 6);
    if (fails && kind === 0) return { status: 0, body: null };
    if (fails && kind === 1) return { status: 503, body: { code: "service.unavailable", message: "busy" } };
    if (fails && kind === 2) return { status: 429, body: { code: "too.many.requests", message: "slower" } };
    if (fails && kind === 3) return { status: 200, body: { welcome: "to the hotel" } };
    if (!this.person) return { status: 401, body: { code: "unauthorized", message: "no" } };
    if (csrf !== this.person.csrf) return { status: 403, body: { code: "access.denied", message: "no", identifier: "Patrol-CSRF" } };
    const answer = work();
    if (fails && kind === 4) return { status: 0, body: null };
    if (fails && kind === 5 && answer.body.entries) return { status: 200, body: { entries: answer.body.entries.slice(1) } };
    return answer;
  }

  report(csrf, roundId, entries) {
    return this.answer(csrf, () => {
      if (entries.length > this.most) return { status: 413, body: { code: "payload.too.large", message: "less" } };
      const unknown = entries.findIndex(({ mediaIds }) => mediaIds?.some((id) => !this.files.has(id)));
      if (unknown >= 0) return { status: 400, body: { code: "validation.failed", message: "no", details: [{ identifier: `[${unknown}].mediaIds[0]` }] } };
      const outcome = (entry) => {
        const known = this.entries.get(entry.id);
        if (known) assert.deepEqual(known.entry, entry, "an entry never changes once it was sent");
        else this.entries.set(entry.id, { entry, roundId, userId: this.person.userId });
        return { id: entry.id, outcome: known ? "DUPLICATE" : "ACCEPTED" };
      };
      return { status: 200, body: { entries: entries.map(outcome) } };
    });
  }

  /** The API of one page. `page.isAlive` false: its requests never end. */
  api(page) {
    const service = this;
    const soon = async (work) => {
      await new Promise((resolve) => setImmediate(resolve));
      const answer = page.isAlive ? work() : NEVER;
      await new Promise((resolve) => setImmediate(resolve));
      return page.isAlive ? answer : NEVER;
    };
    return {
      session: () => soon(() => (service.person ? { status: 200, body: service.person } : { status: 401, body: {} })),
      report(csrf, roundId, entries) { return soon(() => service.report(csrf, roundId, structuredClone(entries))); },
      sendMedium(csrf, id, blob) {
        return soon(() => service.answer(csrf, () => {
          service.files.set(id, blob);
          return { status: 201, body: { id } };
        }));
      },
      get: () => soon(() => ({ status: 0, body: null })),
    };
  }
}

/** A page: a store and a sender. One page sends at a time; the lock of a page that dies is free. */
async function open(service, random, locks) {
  const page = { isAlive: true, locks };
  const alone = async (work) => {
    while (locks.holder?.isAlive) await new Promise((resolve) => setImmediate(resolve));
    if (!page.isAlive) return NEVER;
    locks.holder = page;
    await work();
    locks.holder = null;
    return undefined;
  };
  const store = await Store.open();
  page.store = store;
  page.sync = new Sync(store, service.api(page), { now: Date.now, random, alone });
  return page;
}

async function clear() {
  const databases = await indexedDB.databases();
  for (const { name } of databases) await new Promise((resolve) => { indexedDB.deleteDatabase(name).onsuccess = resolve; });
}

const itemOf = (person, round, entry) =>
  ({ userId: person.userId, userName: person.name, roundId: round, roundName: round, entry, hold: 0, tried: false, refusal: null });

const seeds = process.env.GUARD_SEED ? [Number(process.env.GUARD_SEED)] : Array.from({ length: 40 }, (_, at) => Date.now() + at);

for (const seed of seeds) {
  test(`what was recorded arrives once, in order, with its files (GUARD_SEED=${seed})`, { timeout: 60_000 }, async () => {
    const random = randomOf(seed);
    await clear();
    const service = new Service(random);
    const locks = { holder: null };
    let pages = [await open(service, random, locks), await open(service, random, locks)];
    await pages[0].store.keep("person", ANN);
    const recorded = [];
    for (let at = 0; at < 60; at += 1) {
      service.failing = [0, 0.3, 0.9][Math.floor(random() * 3)];
      service.most = [1000, 2][Math.floor(random() * 2)];
      const page = pages[Math.floor(random() * pages.length)];
      const act = random();
      if (act < 0.7) {
        const files = random() < 0.3 ? [{ id: `medium ${at}`, blob: new Blob([`bytes ${at}`]), thumb: null, sent: false }] : [];
        const entry = { id: `entry ${at}`, type: "NOTE", at: String(at), ...(files.length > 0 ? { mediaIds: files.map(({ id }) => id) } : {}) };
        const round = random() < 0.8 ? "first" : "second";
        await page.store.record(itemOf(ANN, round, entry), files);
        recorded.push({ id: entry.id, round, files });
        page.sync.run();
      } else if (act < 0.8) {
        // The tab is killed, and opened again.
        page.isAlive = false;
        page.sync.stop();
        pages = pages.map((other) => (other === page ? null : other)).filter(Boolean);
        pages.push(await open(service, random, locks));
      } else if (act < 0.85) {
        service.person = service.person ? null : { ...ANN, csrf: `ann-${at}` };
        if (service.person) await page.store.keep("person", service.person);
      } else {
        page.sync.run();
      }
      if (random() < 0.5) await new Promise((resolve) => setImmediate(resolve));
    }
    service.failing = 0;
    service.person = { ...ANN, csrf: "ann-last" };
    for (let tries = 0; (await pages[0].store.queue()).length > 0 && tries < 50; tries += 1) await pages[0].sync.run();
    for (const { sync } of pages) sync.stop();
    assert.deepEqual(await pages[0].store.queue(), [], "nothing waits, and nothing was refused");
    for (const round of ["first", "second"]) {
      const arrived = [...service.entries.values()].filter(({ roundId }) => roundId === round).map(({ entry }) => entry.id);
      assert.deepEqual(arrived, recorded.filter((entry) => entry.round === round).map(({ id }) => id));
    }
    for (const { files } of recorded) {
      for (const { id, blob } of files) assert.equal(await service.files.get(id).text(), await blob.text());
    }
  });
}

test("entries of another person are never sent, and wait", async () => {
  await clear();
  const service = new Service(() => 0.5);
  const page = await open(service, () => 0, { holder: null });
  await page.store.keep("person", ANN);
  await page.store.record(itemOf(ANN, "first", { id: "of ann" }), []);
  service.person = BO;
  await page.sync.run();
  assert.ok(page.sync.state.mustSignIn);
  await page.store.forget(ANN.userId, null);
  await page.store.keep("person", BO);
  await page.store.record(itemOf(BO, "first", { id: "of bo" }), []);
  await page.sync.run();
  assert.deepEqual([...service.entries.values()].map(({ entry, userId }) => [entry.id, userId]), [["of bo", "bo"]]);
  assert.deepEqual((await page.store.queue()).map(({ entry }) => entry.id), ["of ann"]);
});

test("a medium or an entry that is refused for good does not hold up the others", async () => {
  await clear();
  const service = new Service(() => 0.5);
  const page = await open(service, () => 0, { holder: null });
  await page.store.keep("person", ANN);
  const { sendMedium } = page.sync.api;
  page.sync.api.sendMedium = async (csrf, id, blob) => (id === "bad"
    ? { status: 400, body: { code: "input.data.invalid", message: "no", details: [{ code: "validation.media.failed", message: "no" }] } } : sendMedium(csrf, id, blob));
  const medium = (id) => ({ id, blob: new Blob([id]), thumb: null, sent: false });
  await page.store.record(itemOf(ANN, "first", { id: "1", mediaIds: ["bad"] }), [medium("bad")]);
  await page.store.record(itemOf(ANN, "first", { id: "2", mediaIds: ["lost"] }), []);
  await page.store.record(itemOf(ANN, "first", { id: "3", mediaIds: ["good"] }), [medium("good")]);
  await page.sync.run();
  assert.deepEqual([...service.entries.keys()], ["3"]);
  assert.deepEqual((await page.store.queue()).map(({ entry, refusal }) => [entry.id, refusal.code]), [["1", "validation.media.failed"], ["2", "validation.failed"]]);
  await page.store.dismiss((await page.store.queue())[0].seq);
  assert.equal(await page.store.medium("bad"), undefined, "its file goes with it");
});

test("a position is added until the entry is sent, and never afterwards", async () => {
  await clear();
  const service = new Service(() => 0.5);
  const page = await open(service, () => 0, { holder: null });
  await page.store.keep("person", ANN);
  const now = Date.now();
  page.sync.machine.now = () => now;
  const seq = await page.store.record({ ...itemOf(ANN, "first", { id: "1" }), hold: now + 5_000 }, []);
  await page.sync.run();
  assert.equal(service.entries.size, 0, "it waits for its position");
  await page.store.locate(seq, { latitude: 1, longitude: 2, accuracy: 3 });
  service.failing = 1;
  await page.sync.run();
  await page.store.locate(seq, { latitude: 9, longitude: 9, accuracy: 9 });
  service.failing = 0;
  await page.sync.run();
  page.sync.stop();
  assert.deepEqual([...service.entries.values()].map(({ entry }) => entry), [{ id: "1", position: { latitude: 1, longitude: 2, accuracy: 3 } }]);
});

test("a request that is refused twice for another right is given up", async () => {
  await clear();
  const service = new Service(() => 0.5);
  const page = await open(service, () => 0, { holder: null });
  await page.store.keep("person", ANN);
  await page.store.record(itemOf(ANN, "first", { id: "1" }), []);
  page.sync.api.report = async () => ({ status: 403, body: { code: "access.denied", message: "not yours" } });
  await page.sync.run();
  assert.deepEqual((await page.store.queue()).map(({ refusal }) => refusal), [{ code: "access.denied", message: "not yours" }]);
});

test("entries wait while the service takes the page for one of another site", async () => {
  await clear();
  const service = new Service(() => 0.5);
  const page = await open(service, () => 0, { holder: null });
  await page.store.keep("person", ANN);
  await page.store.record(itemOf(ANN, "first", { id: "1" }), []);
  const { report } = page.sync.api;
  page.sync.api.report = async () => ({ status: 403, body: { code: "access.denied", message: "no", identifier: "Origin" } });
  await page.sync.run();
  page.sync.stop();
  assert.deepEqual((await page.store.queue()).map(({ refusal }) => refusal), [null]);
  page.sync.api.report = report;
  await page.sync.run();
  assert.deepEqual([(await page.store.queue()).length, service.entries.size], [0, 1]);
});

test("another person who signs in while entries are sent does not send them", async () => {
  await clear();
  const service = new Service(() => 0.5);
  const page = await open(service, () => 0, { holder: null });
  await page.store.keep("person", ANN);
  await page.store.record(itemOf(ANN, "first", { id: "1", mediaIds: ["photo"] }), [mediumOf("photo")]);
  const { sendMedium } = page.sync.api;
  page.sync.api.sendMedium = async (...args) => {
    const answer = await sendMedium(...args);
    service.person = BO;
    await page.store.signIn(BO, ANN.userId);
    return answer;
  };
  await page.sync.run();
  page.sync.stop();
  assert.deepEqual([service.entries.size, (await page.store.queue()).length, page.sync.state.mustSignIn], [0, 1, true]);
});

const mediumOf = (id) => ({ id, blob: new Blob([id]), thumb: null, sent: false });

test("another person finds nothing of the one before, and who has signed out stays so", async () => {
  await clear();
  const store = await Store.open();
  await store.signIn(ANN, null);
  await store.putRounds([{ id: "r", record: { steps: [] } }], ANN.userId);
  await store.keep("locationIds", []);
  await store.signIn({ ...ANN, csrf: "ann-2" }, ANN.userId);
  assert.deepEqual([(await store.kept("person")).csrf, (await store.rounds()).length], ["ann-2", 1]);
  await store.signIn(BO, ANN.userId);
  assert.deepEqual([await store.kept("person"), await store.rounds(), await store.kept("locationIds")], [BO, [], null]);
  await store.signIn(ANN, ANN.userId);
  assert.deepEqual(await store.kept("person"), BO, "the answer is older than Bo's sign-in");
  await store.forget(ANN.userId, null);
  assert.deepEqual(await store.kept("person"), BO, "what was asked for Ann does not sign Bo out");
  await store.forget(BO.userId, "bo-1");
  await store.signIn(BO, null);
  assert.deepEqual([await store.kept("person"), await store.kept("leaving")], [null, "bo-1"]);
});

test("who signs out or is followed by another person leaves pictures that wait, and no others", async () => {
  for (const leave of [(store) => store.forget(ANN.userId, null), (store) => store.signIn(BO, ANN.userId)]) {
    await clear();
    const store = await Store.open();
    await store.signIn(ANN, null);
    await store.record(itemOf(ANN, "first", { id: "1", mediaIds: ["waits"] }), [mediumOf("waits")]);
    await store.putMedium({ ...mediumOf("fetched"), sent: true }, ANN.userId);
    await leave(store);
    const waiting = await store.medium("waits");
    assert.equal(await waiting.blob.text(), await mediumOf("waits").blob.text());
    assert.deepEqual([waiting.sent, await store.medium("fetched"), (await store.queue()).length], [false, undefined, 1]);
  }
});

test("a full phone sends what waits all the same", async () => {
  await clear();
  const service = new Service(() => 0.5);
  const page = await open(service, () => 0, { holder: null });
  await page.store.keep("person", ANN);
  await page.store.record(itemOf(ANN, "first", { id: "1" }), []);
  page.store.begin = async () => { throw new DOMException("full", "QuotaExceededError"); };
  await page.sync.run();
  assert.deepEqual([[...service.entries.keys()], await page.store.queue()], [["1"], []]);
});

test("media that the service has removed meanwhile are sent again", async () => {
  await clear();
  const service = new Service(() => 0.5);
  const locks = { holder: null };
  const page = await open(service, () => 0, locks);
  await page.store.keep("person", ANN);
  await page.store.record(itemOf(ANN, "first", { id: "1", mediaIds: ["m"] }), [mediumOf("m")]);
  page.sync.api.report = async () => ({ status: 0, body: null });
  await page.sync.run();
  page.sync.stop();
  assert.ok(service.files.delete("m"), "the medium was sent, the entry was not");
  const later = await open(service, () => 0, locks);
  await later.sync.run();
  assert.deepEqual([[...service.entries.keys()], [...service.files.keys()], await later.store.queue()], [["1"], ["m"], []]);
});

test("a medium that cannot be marked as sent, for want of room, stops nothing", async () => {
  await clear();
  const service = new Service(() => 0.5);
  const page = await open(service, () => 0, { holder: null });
  await page.store.keep("person", ANN);
  await page.store.record(itemOf(ANN, "first", { id: "1", mediaIds: ["m"] }), [mediumOf("m")]);
  page.store.markSent = async () => { throw new DOMException("full", "QuotaExceededError"); };
  await page.sync.run();
  assert.deepEqual([[...service.entries.keys()], await page.store.queue()], [["1"], []]);
});

test("a fault of the storage is tried again", async () => {
  await clear();
  const service = new Service(() => 0.5);
  const page = await open(service, () => 0, { holder: null });
  await page.store.keep("person", ANN);
  await page.store.record(itemOf(ANN, "first", { id: "1" }), []);
  const { settle } = page.store;
  page.store.settle = async () => { throw new Error("a fault of this test"); };
  await page.sync.run();
  assert.deepEqual([page.sync.hasFailed, page.sync.state.isOffline, page.sync.state.mustSignIn], [true, false, false]);
  page.store.settle = settle;
  await page.sync.run();
  assert.deepEqual([page.sync.hasFailed, await page.store.queue()], [false, []]);
});

test("the status is offline only until the service answers", async () => {
  await clear();
  const service = new Service(() => 0.5);
  const page = await open(service, () => 0, { holder: null });
  await page.store.keep("person", ANN);
  for (const id of ["1", "2"]) await page.store.record(itemOf(ANN, `round ${id}`, { id }), []);
  const { report } = page.sync.api;
  page.sync.api.report = async () => ({ status: 0, body: null });
  await page.sync.run();
  assert.ok(page.sync.state.isOffline);
  const states = [];
  page.sync.api.report = function (...given) {
    states.push(page.sync.state.isOffline);
    return report.apply(this, given);
  };
  await page.sync.run();
  assert.deepEqual(states, [true, false]);
  page.sync.api.get = async () => ({ status: 503, body: { code: "service.unavailable", message: "busy" } });
  await page.sync.run({ fetch: true });
  assert.deepEqual([page.sync.state.isOffline, page.sync.hasFailed], [false, true], "a service that is busy is there");
  page.sync.stop();
});

test("what was fetched for a person is not kept once that person has signed out", async () => {
  await clear();
  const store = await Store.open();
  await store.keep("person", ANN);
  await store.forget(ANN.userId, "ann-1");
  await store.putRounds([{ id: "r" }], ANN.userId);
  await store.replaceRounds([{ id: "r" }], new Set(), [], null, ANN.userId);
  await store.putMedium(mediumOf("m"), ANN.userId);
  await store.signIn(ANN, ANN.userId);
  assert.deepEqual([await store.kept("person"), await store.rounds(), await store.medium("m"), await store.kept("leaving")], [null, [], undefined, "ann-1"]);
});

test("the store opens a connection again that the browser has closed, and keeps nothing of a change that failed", async () => {
  await clear();
  const databases = [];
  const { open: opened } = indexedDB;
  indexedDB.open = function (...given) {
    const request = opened.apply(this, given);
    request.addEventListener("success", () => databases.push(request.result));
    return request;
  };
  const store = await Store.open();
  await store.keep("person", ANN);
  // Whether the store has been told or not.
  databases[0].close();
  assert.deepEqual(await Promise.all([store.kept("person"), store.kept("person")]), [ANN, ANN]);
  forceCloseDatabase(databases.at(-1));
  await new Promise((resolve) => setTimeout(resolve, 10));
  assert.deepEqual(await store.kept("person"), ANN);
  indexedDB.open = opened;
  const cannotBeStored = () => {};
  await assert.rejects(store.record(itemOf(ANN, "first", { id: "1", mediaIds: ["m"], cannotBeStored }), [mediumOf("m")]), { name: "DataCloneError" });
  assert.equal(await store.medium("m"), undefined);
});

test("a fetch that fails ends as a whole", async () => {
  await clear();
  const page = await open(new Service(() => 0.5), () => 0, { holder: null });
  await page.store.keep("person", ANN);
  const rounds = Array.from({ length: 40 }, (_, at) => ({
    id: `r${at}`, state: "PENDING", startAt: new Date().toISOString(), performerId: null, assigneeIds: ["ann"], published: true, locationId: "l", steps: [],
  }));
  let asked = 0;
  page.sync.api.get = async (_, path) => {
    await new Promise((resolve) => setImmediate(resolve));
    if (path === "me") return { status: 200, body: { locationIds: [] } };
    if (path.startsWith("task-executions/info?")) return { status: 200, body: { data: path.includes("userId") ? rounds : [] } };
    if (path.startsWith("locations/")) return { status: 200, body: { name: "Port" } };
    asked += 1;
    return asked === 9 ? { status: 503, body: {} } : { status: 200, body: rounds.find(({ id }) => path.endsWith(id)), etag: "1" };
  };
  await page.sync.run({ fetch: true });
  page.sync.stop();
  const before = asked;
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(asked, before);
  assert.ok(page.sync.hasFailed && asked < 20, String(asked));
});

test("the person who is kept is not written again", async () => {
  await clear();
  const store = await Store.open();
  await store.signIn(ANN, null);
  const { put } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.put = () => { throw new DOMException("full", "QuotaExceededError"); };
  try {
    await store.signIn({ ...ANN }, ANN.userId);
  } finally {
    IDBObjectStore.prototype.put = put;
  }
});

test("what is stored is written through to the disk", async () => {
  await clear();
  const store = await Store.open();
  const { transaction } = IDBDatabase.prototype;
  const written = [];
  IDBDatabase.prototype.transaction = function (names, mode, options) {
    if (mode === "readwrite") written.push(options?.durability);
    return transaction.call(this, names, mode, options);
  };
  try {
    await store.record(itemOf(ANN, "first", { id: "1" }), []);
  } finally {
    IDBDatabase.prototype.transaction = transaction;
  }
  assert.deepEqual(written, ["strict"]);
});

test("the rounds of the person and of the locations are fetched, the next ones first", async () => {
  await clear();
  const now = Date.now();
  const round = (at) => ({
    id: `r${at}`, state: "PENDING", startAt: new Date(now + at * 60e3).toISOString(), performerId: null, assigneeIds: ["ann"],
    published: true, locationId: "l1", steps: [],
  });
  const rounds = Array.from({ length: 9 }, (_, at) => round(8 - at));
  const page = await open(new Service(() => 0.5), () => 0, { holder: null });
  await page.store.keep("person", ANN);
  const asked = [];
  const kept = [];
  page.store.addEventListener("change", async () => kept.push((await page.store.rounds()).map(({ id }) => id).sort()));
  page.sync.api.get = async (_, path) => {
    asked.push(decodeURIComponent(path));
    if (path === "me") return { status: 200, body: { locationIds: ["l1", "l2"] } };
    if (path.startsWith("task-executions/info?")) return { status: 200, body: { data: path.includes("userId") ? rounds : [] } };
    if (path.startsWith("locations/")) return { status: 200, body: { name: "Port" } };
    return { status: 200, body: rounds.find(({ id }) => path.endsWith(id)), etag: "1" };
  };
  await page.sync.run({ fetch: true });
  await new Promise((resolve) => setTimeout(resolve, 10));
  assert.deepEqual(kept[0], ["r0", "r1", "r2", "r3", "r4", "r5"]);
  assert.equal((await page.store.rounds()).length, 9);
  assert.equal((await page.store.rounds())[0].location, "Port");
  const lists = asked.filter((path) => path.startsWith("task-executions/info?"));
  assert.equal(lists.length, 3);
  assert.ok(lists.some((path) => path.includes("userId=in:ann")));
  assert.ok(lists.some((path) => path.includes("published=true") && path.includes("locationId=in:l1,l2")));
  assert.ok(lists.some((path) => path.includes("performerId=ann") && path.includes("state=IN_PROGRESS")));
  // Later all are asked for at once, with what is known of them.
  asked.length = 0;
  page.sync.api.get = async (_, path, etag) => {
    asked.push(path);
    if (path === "me") return { status: 200, body: { locationIds: [] } };
    if (path.startsWith("task-executions/info?")) return { status: 200, body: { data: rounds.slice(1) } };
    if (path.startsWith("locations/")) return { status: 200, body: { name: "Port" } };
    return { status: etag === "1" ? 304 : 500, body: null };
  };
  await page.sync.run({ fetch: true });
  assert.ok(asked.some((path) => path.includes("published=true") && !path.includes("locationId")), "no locations: all");
  assert.equal((await page.store.rounds()).length, 8, "one is gone");
  // What was deleted stays while something of it is in the queue, and says so.
  const { id } = rounds[1];
  await page.store.record({ ...itemOf(ANN, id, { id: "refused", type: "NOTE" }), refusal: { code: "not.found", message: "" } }, []);
  const { get } = page.sync.api;
  page.sync.api.get = (csrf, path, etag) => (path === `task-executions/${id}` ? Promise.resolve({ status: 404, body: null }) : get(csrf, path, etag));
  await page.sync.run({ fetch: true });
  const gone = (await page.store.rounds()).filter(({ isGone }) => isGone);
  assert.deepEqual(gone.map((round) => round.id), [id]);
});

/** The waits until the next try that the work asked for, in milliseconds. They do not begin. */
async function waitsOf(work) {
  const { setTimeout } = globalThis;
  const waits = [];
  globalThis.setTimeout = (done, wait, ...rest) => (wait >= 400 ? void waits.push(wait) : setTimeout(done, wait, ...rest));
  try {
    await work();
  } finally {
    globalThis.setTimeout = setTimeout;
  }
  return waits;
}

test("each failure doubles the wait, and the service may ask for a longer one", async () => {
  await clear();
  const service = new Service(() => 0.5);
  const page = await open(service, () => 0.5, { holder: null });
  await page.store.keep("person", ANN);
  await page.store.record(itemOf(ANN, "first", { id: "1" }), []);
  const answers = [...Array(5).fill({ status: 503, body: {} }), { status: 429, body: {}, retryAfter: 900_000 }];
  page.sync.api.report = async () => answers.shift();
  const waits = await waitsOf(async () => {
    while (answers.length > 0) await page.sync.run();
  });
  assert.deepEqual(waits, [1, 2, 3, 4, 5].map((failures) => waitAfter(failures, 0.5)).concat(900_000));
});

test("without a session nothing is sent, and nothing tries again by itself", async () => {
  await clear();
  const service = new Service(() => 0.5);
  service.person = null;
  const page = await open(service, () => 0.5, { holder: null });
  await page.store.keep("person", ANN);
  for (const id of ["1", "2"]) await page.store.record(itemOf(ANN, "first", { id }), [{ id: `m${id}`, blob: new Blob(["x"]), thumb: null }]);
  let sent = 0;
  const { report, sendMedium } = page.sync.api;
  page.sync.api.report = (...args) => (sent += 1, report.apply(page.sync.api, args));
  page.sync.api.sendMedium = (...args) => (sent += 1, sendMedium.apply(page.sync.api, args));
  assert.deepEqual(await waitsOf(() => page.sync.run()), []);
  assert.deepEqual([page.sync.state.mustSignIn, sent <= 1, service.entries.size], [true, true, 0]);
});

test("an entry whose position does not come is sent when it has waited long enough", async () => {
  await clear();
  const page = await open(new Service(() => 0.5), () => 0.5, { holder: null });
  await page.store.keep("person", ANN);
  const now = Date.now();
  page.sync.machine.now = () => now;
  await page.store.record({ ...itemOf(ANN, "first", { id: "1" }), hold: now + 5_000 }, []);
  assert.deepEqual(await waitsOf(() => page.sync.run()), [5_000]);
  assert.equal((await page.store.queue()).length, 1);
});

test("rounds are fetched to the last one, and of many locations some at a time", async () => {
  await clear();
  const page = await open(new Service(() => 0.5), () => 0, { holder: null });
  await page.store.keep("person", ANN);
  const locationIds = Array.from({ length: 250 }, (_, at) => `l${at}`);
  const round = (at) => ({
    id: `r${at}`, state: "PENDING", startAt: new Date().toISOString(), performerId: null, assigneeIds: at === 1000 ? [] : ["else"], published: true, locationId: "l0", steps: [],
  });
  const all = Array.from({ length: 1001 }, (_, at) => round(at));
  const asked = [];
  page.sync.api.get = async (_, path) => {
    const query = new URLSearchParams(path.split("?")[1]);
    if (path === "me") return { status: 200, body: { locationIds } };
    if (path.startsWith("locations/")) return { status: 200, body: { name: "Port" } };
    if (!path.startsWith("task-executions/info?")) return { status: 200, body: all.find(({ id }) => path.endsWith(`/${id}`)), etag: "1" };
    const some = query.get("locationId")?.slice("in:".length).split(",") ?? [];
    asked.push(...some);
    assert.ok(some.length <= 100);
    const from = Number(query.get("offset") ?? 0);
    return { status: 200, body: { data: some.includes("l0") ? all.slice(from, from + Number(query.get("limit"))) : [] } };
  };
  await page.sync.run({ fetch: true });
  assert.deepEqual((await page.store.rounds()).map(({ id }) => id), ["r1000"]);
  assert.deepEqual([...new Set(asked)].length, 250);
});
