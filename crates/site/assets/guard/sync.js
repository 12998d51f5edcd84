// Sends the queue and fetches the rounds, one tab at a time, also from the service worker.

import { isMine, AROUND_NOW } from "./rules/list.js";
import { judgeMedium, judgeReport, nextBatch, waitAfter, MAX_ENTRIES } from "./rules/queue.js";

/** @typedef {import("./types.js").Answer} Answer */
/** @typedef {import("./types.js").Execution} Execution */
/** @typedef {import("./types.js").Item} Item */
/** @typedef {import("./types.js").Person} Person */
/** @typedef {import("./types.js").Round} Round */
/** @typedef {import("./types.js").Sending} Sending */
/** @typedef {import("./rules/queue.js").Verdict} Verdict */
/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./api.js").Api} Api */

/** How many details are fetched at once. */
const AT_ONCE = 6;

/** How many ids a list is asked for at once. */
const IDS_AT_ONCE = 100;

/** What was sent or fetched has to wait. */
class Later extends Error {
  /** @param {boolean} isOffline @param {number} [retryAfter] */
  constructor(isOffline, retryAfter = 0) {
    super("later");
    this.isOffline = isOffline;
    this.retryAfter = retryAfter;
  }
}

/** The session is over, or that of another person. */
class SignedOut extends Error {}

/**
 * Sends what waits and fetches the rounds. `change` events say that `state` is another one.
 * @typedef {Pick<Store, "kept" | "keep" | "rounds" | "queue" | "begin" | "settle" | "medium" | "putMedium" | "putRound" | "replaceRounds">} Kept
 * @typedef {Pick<Api, "csrf" | "session" | "report" | "sendMedium" | "get" | "list">} Service
 */
export class Sync extends EventTarget {
  /** @type {Sending} */
  state = { isSending: false, isOffline: false, mustSignIn: false };
  #failures = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;
  #isWanted = false;
  #mustFetch = false;
  /** @type {Promise<void> | null} */ #running = null;
  /** The round that the page shows. @type {string | null} */
  shown = null;

  /**
   * @param {Kept} store
   * @param {Service} api
   * @param {{ now: () => number, random: () => number, alone: (work: () => Promise<void>) => Promise<unknown> }} machine
   *   `alone` runs the work while no other tab does.
   */
  constructor(store, api, machine) {
    super();
    this.store = store;
    this.api = api;
    this.machine = machine;
  }

  /**
   * Sends now, after what is running.
   * @param {{ fetch?: boolean }} [options] `fetch`: and fetches the rounds.
   * @returns {Promise<void>}
   */
  run({ fetch = false } = {}) {
    this.#isWanted = true;
    this.#mustFetch ||= fetch;
    this.#running ??= this.#loop().finally(() => { this.#running = null; });
    return this.#running;
  }

  async #loop() {
    while (this.#isWanted) {
      this.#isWanted = false;
      clearTimeout(this.#timer);
      await this.machine.alone(() => this.#once());
    }
  }

  async #once() {
    try {
      /** @type {Person | null} */
      const person = await this.store.kept("person");
      if (!person) return;
      const wait = await this.#send(person);
      if (this.#mustFetch) {
        await this.#fetchRounds(person);
        this.#mustFetch = false;
      }
      this.#failures = 0;
      this.#tell({ isSending: false, isOffline: false, mustSignIn: false });
      if (wait > 0) this.#runIn(wait);
    } catch (error) {
      if (error instanceof Later) {
        this.#failures += 1;
        this.#tell({ isSending: false, isOffline: error.isOffline, mustSignIn: false });
        this.#runIn(Math.max(error.retryAfter, waitAfter(this.#failures, this.machine.random())));
      } else {
        this.#tell({ isSending: false, isOffline: false, mustSignIn: error instanceof SignedOut });
        if (!(error instanceof SignedOut)) throw error;
      }
    }
  }

  /** @param {number} wait */
  #runIn(wait) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.run(), wait);
  }

  /** Stops until the next `run`. */
  stop() {
    clearTimeout(this.#timer);
  }

  /** @param {Sending} state */
  #tell(state) {
    this.state = state;
    this.dispatchEvent(new Event("change"));
  }

  /**
   * Sends the person's entries, media before the entries that name them. Returns how long the next
   * one waits for its position; 0 when none does.
   * @param {Person} person
   */
  async #send(person) {
    let most = MAX_ENTRIES;
    this.api.csrf = person.csrf;
    for (;;) {
      const batch = nextBatch(await this.store.queue(), person.userId, this.machine.now(), most);
      if (batch.items.length === 0) return batch.wait;
      this.#tell({ ...this.state, isSending: true });
      const unsent = await this.#sendMedia(batch.items[0]);
      const sent = unsent ? [batch.items[0]] : await this.store.begin(await this.#ready(batch.items));
      const entries = sent.map(({ entry }) => entry);
      const answer = unsent?.answer ?? await this.api.report(batch.items[0].roundId, entries);
      const verdict = unsent?.verdict ?? judgeReport(answer, entries.map(({ id }) => id));
      switch (verdict.kind) {
        case "settled":
          await this.store.settle(sent, ({ entry }) => verdict.outcomes.get(entry.id) ?? null);
          // The round is not as this phone believed.
          if ([...verdict.outcomes.values()].some((refusal) => refusal)) this.#mustFetch = true;
          this.#failures = 0;
          most = MAX_ENTRIES;
          break;
        case "halve":
          most = Math.ceil(sent.length / 2);
          break;
        case "recheck":
          // With the right CSRF token it is the person who has no right.
          if (!await this.#hasNewToken(person)) {
            const { code, message } = answer.body;
            await this.store.settle(sent, () => ({ code, message }));
          }
          break;
        case "refused":
          await this.store.settle(verdict.places.map((place) => sent[place]), () => verdict.refusal);
          break;
        case "signIn":
          throw new SignedOut();
        default:
          throw new Later(verdict.isOffline, answer.retryAfter);
      }
    }
  }

  /**
   * Sends the media of an entry. Returns the answer that the service has not taken one.
   * @param {Item} item
   * @returns {Promise<{ answer: Answer, verdict: Verdict } | null>}
   */
  async #sendMedia(item) {
    for (const medium of await this.#unsent(item)) {
      const answer = await this.api.sendMedium(medium.id, medium.blob);
      const verdict = judgeMedium(answer);
      if (verdict) return { answer, verdict };
      await this.store.putMedium({ ...medium, sent: true });
    }
    return null;
  }

  /**
   * The entries before the first one whose media are not sent: a picture does not hold up what was
   * recorded before it.
   * @param {Item[]} items
   */
  async #ready(items) {
    for (const [at, item] of items.entries()) {
      if ((await this.#unsent(item)).length > 0) return items.slice(0, at);
    }
    return items;
  }

  /** @param {Item} item */
  async #unsent({ entry }) {
    const media = await Promise.all((entry.mediaIds ?? []).map((id) => this.store.medium(id)));
    return media.flatMap((medium) => (medium?.blob && !medium.sent ? [{ ...medium, blob: medium.blob }] : []));
  }

  /**
   * Looks whether the session is still the person's, and takes its CSRF token. False when that is known.
   * @param {Person} person
   */
  async #hasNewToken(person) {
    const { status, body } = await this.api.session();
    if (status === 401 || (status === 200 && body.userId !== person.userId)) throw new SignedOut();
    if (status !== 200) throw new Later(status === 0);
    const isNew = body.csrf !== this.api.csrf;
    this.api.csrf = body.csrf;
    if (isNew) await this.store.keep("person", { ...person, csrf: body.csrf });
    return isNew;
  }

  /** @param {Person} person */
  async #fetchRounds(person) {
    const me = await this.#record("me");
    const locationIds = Array.isArray(me?.locationIds) ? me.locationIds : [];
    const now = this.machine.now();
    const day = (/** @type {number} */ time) => new Date(time).toISOString();
    /** @type {[string, string][]} */
    const near = [["state", "in:PENDING,IN_PROGRESS"], ["startAt", `gte:${day(now - AROUND_NOW)}`],
      ["startAt", `lte:${day(now + AROUND_NOW)}`], ["sort", "startAt"], ["limit", "1000"]];
    /** @type {[string, string][]} */
    const here = locationIds.length > 0 ? [["locationId", `in:${locationIds.join(",")}`]] : [];
    const lists = await Promise.all([
      this.#list("task-executions/info", [["userId", `in:${person.userId}`], ...near]),
      this.#list("task-executions/info", [["published", "true"], ...here, ...near]),
      this.#list("task-executions/info", [["performerId", person.userId], ["state", "IN_PROGRESS"], ["limit", "1000"]]),
    ]);
    const found = lists.flat().filter((round) => isMine(round, person, locationIds, now));
    const kept = [...(await this.store.queue()).map(({ roundId }) => roundId), ...(this.shown ? [this.shown] : [])];
    const rounds = await this.#details([...new Set([...found.map(({ id }) => id), ...kept])]);
    await this.store.replaceRounds(rounds, locationIds, this.shown, person.userId);
  }

  /**
   * Fetches a round that is not one of the person's.
   * @param {string} id
   * @returns {Promise<"found" | "absent" | "offline">}
   */
  async fetchRound(id) {
    try {
      /** @type {Person | null} */
      const person = await this.store.kept("person");
      const [round] = await this.#details([id]);
      if (!round) return "absent";
      if (person) await this.store.putRound(round, person.userId);
      return "found";
    } catch {
      return "offline";
    }
  }

  /**
   * The rounds with all that is needed to walk them. Those that are gone are left out.
   * @param {string[]} ids
   * @returns {Promise<Round[]>}
   */
  async #details(ids) {
    const known = new Map((await this.store.rounds()).map((round) => [round.id, round]));
    /** @type {{ record: Execution, etag: string | null }[]} */
    const records = [];
    const left = [...ids];
    const worker = async () => {
      for (let id = left.shift(); id !== undefined; id = left.shift()) {
        const kept = known.get(id);
        const answer = await this.api.get(`task-executions/${encodeURIComponent(id)}`, kept?.etag);
        if (answer.status === 304 && kept) records.push({ record: kept.record, etag: kept.etag });
        else if (answer.status === 200) records.push({ record: answer.body, etag: answer.etag ?? null });
        else if (answer.status !== 404 && answer.status !== 400) this.#failed(answer);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    const locationIds = [...new Set(records.map(({ record }) => record.locationId))];
    const [points, names] = await Promise.all([
      this.#byId("locations/points", records.flatMap(({ record }) => record.steps.map(({ pointId }) => pointId))),
      Promise.all(locationIds.map((id) => this.#locationName(id))),
    ]);
    return records.map(({ record, etag }) => ({
      id: record.id, record, etag, location: names[locationIds.indexOf(record.locationId)],
      points: Object.fromEntries(record.steps.flatMap(({ pointId }) => {
        const point = pointId && points.get(pointId);
        return point ? [[pointId, { id: point.id, name: point.name, type: point.type, qrCode: point.qrCode, rfidCode: point.rfidCode }]] : [];
      })),
    }));
  }

  /**
   * The records of a list with these ids.
   * @param {string} path
   * @param {(string | null)[]} ids
   */
  async #byId(path, ids) {
    const wanted = [...new Set(ids.filter(Boolean))];
    /** @type {Map<string, any>} */
    const records = new Map();
    for (let at = 0; at < wanted.length; at += IDS_AT_ONCE) {
      const some = wanted.slice(at, at + IDS_AT_ONCE);
      const list = await this.#list(path, [["id", `in:${some.join(",")}`], ["limit", String(some.length)]]);
      for (const record of list) records.set(record.id, record);
    }
    return records;
  }

  /** @param {string} id */
  async #locationName(id) {
    const answer = await this.api.get(`locations/${id}`);
    return answer.status === 404 ? "" : answer.status === 200 ? answer.body.name : this.#failed(answer);
  }

  /** @param {string} path */
  async #record(path) {
    const answer = await this.api.get(path);
    return answer.status === 200 ? answer.body : this.#failed(answer);
  }

  /**
   * @param {string} path
   * @param {[string, string][]} filters
   */
  async #list(path, filters) {
    const list = await this.api.list(path, filters);
    return list ?? this.#failed({ status: 0, body: null });
  }

  /**
   * @param {Answer} answer
   * @returns {never}
   */
  #failed({ status, retryAfter }) {
    if (status === 401 || status === 403) throw new SignedOut();
    throw new Later(status === 0, retryAfter);
  }
}
