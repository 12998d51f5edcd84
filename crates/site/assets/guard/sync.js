// Sends the queue and fetches the rounds, one tab at a time, also from the service worker.

import { inOrder, isMine, AROUND_NOW } from "./rules/list.js";
import { judgeMedium, judgeReport, namesMedia, nextBatch, waitAfter, MAX_ENTRIES } from "./rules/queue.js";

/** @typedef {import("./types.js").Answer} Answer */
/** @typedef {import("./types.js").Execution} Execution */
/** @typedef {import("./types.js").Item} Item */
/** @typedef {import("./types.js").Person} Person */
/** @typedef {import("./types.js").Point} Point */
/** @typedef {import("./types.js").Round} Round */
/** @typedef {import("./types.js").Sending} Sending */
/** @typedef {import("./rules/queue.js").Verdict} Verdict */
/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./api.js").Api} Api */

/** How many details are fetched at once. */
const AT_ONCE = 6;

/** How many ids a list is asked for at once. */
const IDS_AT_ONCE = 100;

/** The records of a page of a list, and the most pages. */
const PAGE = 1000;
const MOST_PAGES = 10;

/**
 * The ids that are asked for together.
 * @param {string[]} ids
 */
function* parts(ids) {
  for (let at = 0; at < ids.length; at += IDS_AT_ONCE) yield ids.slice(at, at + IDS_AT_ONCE);
}

/**
 * What is fetched by the person with this CSRF token: the points and the names of locations that are known so far, by
 * their ids; null: there is no such point.
 * @typedef {{ csrf: string, points: Map<string, Point | null>, names: Map<string, string> }} Fetching
 */

/** A record and its version. @typedef {Pick<Round, "record" | "etag">} Fetched */

/**
 * @param {Person} person
 * @returns {Fetching}
 */
const fetchingOf = ({ csrf }) => ({ csrf, points: new Map(), names: new Map() });

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
 * @typedef {Pick<Store, "kept" | "rounds" | "queue" | "begin" | "settle" | "medium" | "markSent" | "signIn" | "putRounds" | "replaceRounds">} Kept
 * @typedef {Pick<Api, "session" | "report" | "sendMedium" | "get">} Service
 */
export class Sync extends EventTarget {
  /** @type {Sending} */
  state = { isSending: false, isOffline: false, mustSignIn: false };
  #failures = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;
  #isWanted = false;
  #mustFetch = false;
  /** The media that were sent since the page was opened. @type {Set<string>} */
  #uploaded = new Set();
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
      this.stop();
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
      if (wait > 0) this.#runIn(wait);
      this.#tell({ isSending: false, isOffline: false, mustSignIn: false });
    } catch (error) {
      if (error instanceof SignedOut) {
        this.#failures = 0;
        this.#tell({ isSending: false, isOffline: false, mustSignIn: true });
        return;
      }
      // A fault of the storage is no reason to stop either.
      if (!(error instanceof Later)) console.error(error);
      const { isOffline, retryAfter } = error instanceof Later ? error : new Later(false);
      this.#failures += 1;
      this.#runIn(Math.max(retryAfter, waitAfter(this.#failures, this.machine.random())));
      this.#tell({ isSending: false, isOffline, mustSignIn: false });
    }
  }

  /** @param {number} wait */
  #runIn(wait) {
    this.stop();
    this.#timer = setTimeout(() => this.run(), wait);
  }

  /** Stops until the next `run`. */
  stop() {
    clearTimeout(this.#timer);
  }

  /** Whether the last attempt has failed, and another one will follow. */
  get hasFailed() {
    return this.#failures > 0;
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
    for (;;) {
      const batch = nextBatch(await this.store.queue(), person.userId, this.machine.now(), most);
      if (batch.items.length === 0) return batch.wait;
      this.#tell({ ...this.state, isSending: true });
      const unsent = await this.#sendMedia(batch.items[0], person);
      const sent = unsent ? [batch.items[0]] : await this.#begin(await this.#ready(batch.items));
      const entries = sent.map(({ entry }) => entry);
      const answer = unsent?.answer ?? await this.api.report(person.csrf, batch.items[0].roundId, entries);
      this.#answered(answer);
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
          if (!await this.#hasNewToken(person)) {
            const { code, message, identifier } = answer.body;
            // The service takes this page for one of another site: its address was changed, or a proxy is set up wrong.
            if (identifier !== undefined) throw new Later(false);
            await this.store.settle(sent, () => ({ code, message }));
          }
          break;
        case "refused": {
          const refusals = new Map([...verdict.refusals].map(([place, refusal]) => [sent[place], refusal]));
          const refused = [...refusals.keys()];
          if (!unsent && namesMedia(answer.body) && await this.#sendMediaAgain(refused)) break;
          await this.store.settle(refused, (item) => refusals.get(item) ?? null);
          break;
        }
        case "signIn":
          throw new SignedOut();
        default:
          throw new Later(verdict.isOffline, answer.retryAfter);
      }
    }
  }

  /**
   * Says that a request with these entries begins. A full phone sends them all the same: it cannot change them.
   * @param {Item[]} items
   */
  async #begin(items) {
    try {
      return await this.store.begin(items);
    } catch (error) {
      if (error instanceof DOMException && error.name === "QuotaExceededError") return items;
      throw error;
    }
  }

  /**
   * Sends the media of an entry. Returns the answer that the service has not taken one.
   * @param {Item} item
   * @param {Person} person
   * @returns {Promise<{ answer: Answer, verdict: Verdict } | null>}
   */
  async #sendMedia(item, { csrf }) {
    for (const medium of await this.#unsent(item)) {
      const answer = await this.api.sendMedium(csrf, medium.id, medium.blob);
      this.#answered(answer);
      const verdict = judgeMedium(answer);
      if (verdict) return { answer, verdict };
      this.#uploaded.add(medium.id);
      // Where there is no room for it, another page sends the medium once more.
      await this.store.markSent([medium.id], true).catch(() => {});
    }
    return null;
  }

  /** @param {Answer} answer */
  #answered({ status }) {
    if (status !== 0 && this.state.isOffline) this.#tell({ ...this.state, isOffline: false });
  }

  /**
   * Whether media that an earlier page has sent have to be sent again: the service removes those that
   * no entry has named for seven days.
   * @param {Item[]} items
   */
  async #sendMediaAgain(items) {
    const media = await this.#media(items);
    const lost = media.filter(({ id, sent }) => sent && !this.#uploaded.has(id)).map(({ id }) => id);
    if (lost.length > 0) await this.store.markSent(lost, false);
    return lost.length > 0;
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
  async #unsent(item) {
    return (await this.#media([item])).filter(({ id, sent }) => !sent && !this.#uploaded.has(id));
  }

  /**
   * The media of these entries whose files are on the phone.
   * @param {Item[]} items
   */
  async #media(items) {
    const media = await Promise.all(items.flatMap(({ entry }) => entry.mediaIds ?? []).map((id) => this.store.medium(id)));
    return media.flatMap((medium) => (medium?.blob ? [{ ...medium, blob: medium.blob }] : []));
  }

  /**
   * Looks whether the session is still the person's, and takes its CSRF token. False when that is known.
   * @param {Person} person
   */
  async #hasNewToken(person) {
    const { status, body } = await this.api.session();
    if (status === 401 || (status === 200 && body.userId !== person.userId)) throw new SignedOut();
    if (status !== 200) throw new Later(status === 0);
    if (body.csrf === person.csrf) return false;
    person.csrf = body.csrf;
    await this.store.signIn(person, person.userId);
    return true;
  }

  /** @param {Person} person */
  async #fetchRounds(person) {
    const fetching = fetchingOf(person);
    const now = this.machine.now();
    const day = (/** @type {number} */ time) => new Date(time).toISOString();
    /** @type {[string, string][]} */
    const near = [["state", "in:PENDING,IN_PROGRESS"], ["startAt", `gte:${day(now - AROUND_NOW)}`],
      ["startAt", `lte:${day(now + AROUND_NOW)}`], ["sort", "startAt"]];
    /** @type {string[]} */
    let locationIds = [];
    const published = async () => {
      const me = await this.#record("me", fetching);
      if (Array.isArray(me?.locationIds)) locationIds = me.locationIds;
      const all = /** @type {[string, string][]} */ ([["published", "true"], ...near]);
      if (locationIds.length === 0) return this.#list("task-executions/info", all, fetching);
      const found = [];
      for (const some of parts(locationIds)) {
        found.push(...await this.#list("task-executions/info", [["locationId", `in:${some.join(",")}`], ...all], fetching));
      }
      return found;
    };
    const lists = await Promise.all([
      this.#list("task-executions/info", [["userId", `in:${person.userId}`], ...near], fetching),
      this.#list("task-executions/info", [["performerId", person.userId], ["state", "IN_PROGRESS"]], fetching),
      published(),
    ]);
    const mine = lists.flat().filter((record) => isMine(record, person, locationIds, now));
    const found = inOrder(mine.map((record) => ({ record })));
    const queue = await this.store.queue();
    const kept = [...queue.filter(({ userId }) => userId === person.userId).map(({ roundId }) => roundId), ...(this.shown ? [this.shown] : [])];
    const gone = new Set([...found.map(({ record }) => record.id), ...kept]);
    const ids = [...gone];
    // At the first start each is shown as soon as it is there, the next ones first.
    const isFirst = await this.store.kept("locationIds") === null;
    const keep = isFirst ? (/** @type {Round[]} */ some) => this.store.putRounds(some, person.userId) : undefined;
    const rounds = isFirst ? await this.#details(ids.splice(0, AT_ONCE), fetching) : [];
    await keep?.(rounds);
    rounds.push(...await this.#details(ids, fetching, keep));
    for (const { id } of rounds) gone.delete(id);
    await this.store.replaceRounds(rounds, gone, locationIds, this.shown, person.userId);
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
      if (!person) return "offline";
      const [round] = await this.#details([id], fetchingOf(person));
      if (!round) return "absent";
      await this.store.putRounds([round], person.userId);
      return "found";
    } catch {
      return "offline";
    }
  }

  /**
   * The rounds with all that is needed to walk them. Those that are gone are left out.
   * @param {string[]} ids
   * @param {Fetching} fetching
   * @param {(rounds: Round[]) => Promise<unknown>} [keep] Called with each that has arrived.
   * @returns {Promise<Round[]>}
   */
  async #details(ids, fetching, keep) {
    const known = new Map((await this.store.rounds()).map((round) => [round.id, round]));
    /** @type {Fetched[]} */
    const found = [];
    const left = [...ids];
    const fetchAll = async () => {
      for (let id = left.shift(); id !== undefined; id = left.shift()) {
        const kept = known.get(id);
        const answer = await this.api.get(fetching.csrf, `task-executions/${encodeURIComponent(id)}`, kept?.etag);
        if (answer.status === 404 || answer.status === 400) continue;
        const isSame = answer.status === 304 && kept;
        if (!isSame && answer.status !== 200) this.#failed(answer);
        const one = isSame ? { record: kept.record, etag: kept.etag } : { record: answer.body, etag: answer.etag ?? null };
        found.push(one);
        if (keep) await keep(await this.#placed([one], fetching));
      }
    };
    const fetchers = Array.from({ length: AT_ONCE }, () => fetchAll().catch((error) => {
      // The others stop, too: another tab may send by then.
      left.length = 0;
      throw error;
    }));
    for (const fetcher of await Promise.allSettled(fetchers)) {
      if (fetcher.status === "rejected") throw fetcher.reason;
    }
    return this.#placed(found, fetching);
  }

  /**
   * The rounds with their points and the names of their locations.
   * @param {Fetched[]} found
   * @param {Fetching} fetching
   * @returns {Promise<Round[]>}
   */
  async #placed(found, fetching) {
    const { points, names } = fetching;
    const pointIds = found.flatMap(({ record }) => record.steps.map(({ pointId }) => pointId));
    const locationIds = new Set(found.map(({ record }) => record.locationId));
    await Promise.all([
      this.#addPoints(pointIds.filter((id) => id !== null), fetching),
      ...[...locationIds].filter((id) => !names.has(id)).map(async (id) => names.set(id, await this.#locationName(id, fetching))),
    ]);
    return found.map(({ record, etag }) => ({
      id: record.id, record, etag, location: names.get(record.locationId) ?? "",
      points: Object.fromEntries(record.steps.flatMap(({ pointId }) => {
        const point = pointId && points.get(pointId);
        return point ? [[pointId, point]] : [];
      })),
    }));
  }

  /**
   * Fetches the points that are not known yet.
   * @param {string[]} ids
   * @param {Fetching} fetching
   */
  async #addPoints(ids, fetching) {
    const { points } = fetching;
    const wanted = [...new Set(ids)].filter((id) => !points.has(id));
    for (const some of parts(wanted)) {
      const list = await this.#list("locations/points", [["id", `in:${some.join(",")}`]], fetching);
      for (const id of some) points.set(id, null);
      for (const { id, name, type, qrCode, rfidCode } of list) points.set(id, { id, name, type, qrCode, rfidCode });
    }
  }

  /**
   * @param {string} id
   * @param {Fetching} fetching
   */
  async #locationName(id, { csrf }) {
    const answer = await this.api.get(csrf, `locations/${id}`);
    return answer.status === 404 ? "" : answer.status === 200 ? answer.body.name : this.#failed(answer);
  }

  /**
   * @param {string} path
   * @param {Fetching} fetching
   */
  async #record(path, { csrf }) {
    const answer = await this.api.get(csrf, path);
    return answer.status === 200 ? answer.body : this.#failed(answer);
  }

  /**
   * @param {string} path
   * @param {[string, string][]} filters
   * @param {Fetching} fetching
   * @returns {Promise<any[]>}
   */
  async #list(path, filters, { csrf }) {
    const found = [];
    for (let offset = 0; offset < MOST_PAGES * PAGE; offset += PAGE) {
      const page = [["limit", String(PAGE)], ...(offset > 0 ? [["offset", String(offset)]] : [])];
      const answer = await this.api.get(csrf, `${path}?${new URLSearchParams([...filters, ...page])}`);
      if (answer.status !== 200 || !Array.isArray(answer.body?.data)) this.#failed(answer);
      found.push(...answer.body.data);
      if (answer.body.data.length < PAGE) break;
    }
    return found;
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
