// The queue against a model of the service: a random presser while everything fails. What was recorded is in
// the service exactly once, in order, with its files. GUARD_SEED repeats a run.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";

createRequire(`${process.env.GUARD_TOOLS}/`)("fake-indexeddb/auto");
const { Store } = await import(`${process.env.GUARD}/store.js`);
const { Sync } = await import(`${process.env.GUARD}/sync.js`);

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
    if (csrf !== this.person.csrf) return { status: 403, body: { code: "access.denied", message: "no" } };
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
      csrf: "",
      session: () => soon(() => (service.person ? { status: 200, body: service.person } : { status: 401, body: {} })),
      report(roundId, entries) { return soon(() => service.report(this.csrf, roundId, structuredClone(entries))); },
      sendMedium(id, blob) {
        return soon(() => service.answer(this.csrf, () => {
          service.files.set(id, blob);
          return { status: 201, body: { id } };
        }));
      },
      get: () => soon(() => ({ status: 0, body: null })),
      list: () => soon(() => null),
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
  await page.store.forget(null);
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
  page.sync.api.sendMedium = async (id, blob) => (id === "bad"
    ? { status: 400, body: { code: "input.data.invalid", message: "no", details: [{ code: "validation.media.failed", message: "no" }] } } : sendMedium.call(page.sync.api, id, blob));
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
  const seq = await page.store.record({ ...itemOf(ANN, "first", { id: "1" }), hold: Date.now() + 5000 }, []);
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
