// What the phone keeps, in IndexedDB: who uses it, the rounds, the queue of entries, and their media.

import { withEntries } from "./rules/round.js";

/** @typedef {import("./types.js").Item} Item */
/** @typedef {import("./types.js").Medium} Medium */
/** @typedef {import("./types.js").Person} Person */
/** @typedef {import("./types.js").Position} Position */
/** @typedef {import("./types.js").Refusal} Refusal */
/** @typedef {import("./types.js").Round} Round */

const NAME = "patrol-guard";

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
function result(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/**
 * Whether nobody else has signed in, or this person out, while something was fetched.
 * @param {IDBObjectStore} kept
 * @param {string} userId
 */
async function isUsedBy(kept, userId) {
  return (await result(kept.get("person")))?.userId === userId;
}

/** @returns {Promise<IDBDatabase>} */
function open() {
  const request = indexedDB.open(NAME, 1);
  request.onupgradeneeded = () => {
    const db = request.result;
    db.createObjectStore("kept");
    db.createObjectStore("rounds", { keyPath: "id" });
    db.createObjectStore("queue", { keyPath: "seq", autoIncrement: true });
    db.createObjectStore("media", { keyPath: "id" });
  };
  return result(request);
}

/** The store. Opened once a page. */
export class Store extends EventTarget {
  /** @type {IDBDatabase} */ #db;
  #others = new BroadcastChannel(NAME);

  /** @param {IDBDatabase} db */
  constructor(db) {
    super();
    this.#db = db;
    // A newer version of the program in another tab may open the database.
    db.onversionchange = () => db.close();
    this.#others.onmessage = () => this.dispatchEvent(new Event("change"));
  }

  static async open() {
    return new Store(await open());
  }

  /**
   * Runs a transaction. It is on the disk when the promise is fulfilled.
   * @template T
   * @param {string[]} names
   * @param {(stores: Record<string, IDBObjectStore>) => Promise<T> | T} work
   * @returns {Promise<T>}
   */
  async #write(names, work) {
    const transaction = this.#db.transaction(names, "readwrite", { durability: "strict" });
    const done = new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
    // A failed request aborts the transaction, which tells the reason.
    done.catch(() => {});
    const stores = Object.fromEntries(names.map((name) => [name, transaction.objectStore(name)]));
    try {
      const value = await work(stores);
      await done;
      this.#others.postMessage("change");
      this.dispatchEvent(new Event("change"));
      return value;
    } catch (error) {
      await done.catch((reason) => { throw reason ?? error; });
      throw error;
    }
  }

  /** @param {string} name */
  #read(name) {
    return this.#db.transaction(name).objectStore(name);
  }

  /**
   * @param {"person" | "locationIds" | "leaving" | "mustConfirm" | "language"} key
   * @returns {Promise<any>}
   */
  async kept(key) {
    return (await result(this.#read("kept").get(key))) ?? null;
  }

  /**
   * @param {"person" | "locationIds" | "leaving" | "mustConfirm" | "language"} key
   * @param {unknown} value
   */
  keep(key, value) {
    return this.#write(["kept"], ({ kept }) => { kept.put(value, key); });
  }

  /**
   * Forgets the person and all that was fetched. What waits stays.
   * @param {string | null} leaving The CSRF token of the session that is still to be ended.
   */
  forget(leaving) {
    return this.#write(["kept", "rounds", "media", "queue"], async ({ kept, rounds, media, queue }) => {
      for (const key of ["person", "locationIds", "mustConfirm", "leaving"]) kept.delete(key);
      if (leaving !== null) kept.put(leaving, "leaving");
      rounds.clear();
      await removeUnnamed(media, queue, []);
    });
  }

  /** @returns {Promise<Round[]>} */
  rounds() {
    return result(this.#read("rounds").getAll());
  }

  /**
   * @param {string} id
   * @returns {Promise<Round | undefined>}
   */
  round(id) {
    return result(this.#read("rounds").get(id));
  }

  /**
   * Keeps a round that was fetched, if the person still uses the phone.
   * @param {Round} round
   * @param {string} userId
   */
  putRound(round, userId) {
    return this.#write(["kept", "rounds"], async ({ kept, rounds }) => {
      if (await isUsedBy(kept, userId)) rounds.put(round);
    });
  }

  /**
   * Replaces the rounds by those that were fetched, if the person still uses the phone. A round with
   * entries in the queue stays.
   * @param {Round[]} fetched
   * @param {string[]} locationIds
   * @param {string | null} shown The round that the page shows.
   * @param {string} userId
   */
  replaceRounds(fetched, locationIds, shown, userId) {
    return this.#write(["kept", "rounds", "media", "queue"], async ({ kept, rounds, media, queue }) => {
      if (!await isUsedBy(kept, userId)) return;
      kept.put(locationIds, "locationIds");
      /** @type {Item[]} */
      const items = await result(queue.getAll());
      const stay = new Set([...fetched.map(({ id }) => id), ...items.map(({ roundId }) => roundId), shown]);
      for (const id of await result(rounds.getAllKeys())) {
        if (!stay.has(String(id))) rounds.delete(id);
      }
      for (const round of fetched) rounds.put(round);
      await removeUnnamed(media, queue, await result(rounds.getAll()));
    });
  }

  /** @returns {Promise<Item[]>} */
  queue() {
    return result(this.#read("queue").getAll());
  }

  /**
   * Stores an entry with its media.
   * @param {Omit<Item, "seq">} item
   * @param {Medium[]} files
   * @returns {Promise<number>}
   */
  record(item, files) {
    return this.#write(["queue", "media"], ({ queue, media }) => {
      for (const file of files) media.put(file);
      return result(/** @type {IDBRequest<number>} */ (queue.add(item)));
    });
  }

  /**
   * Ends the wait of an entry for its position, if no request with it was begun.
   * @param {number} seq
   * @param {Position | null} position
   */
  locate(seq, position) {
    return this.#write(["queue"], async ({ queue }) => {
      /** @type {Item | undefined} */
      const item = await result(queue.get(seq));
      if (!item || item.tried || item.hold === 0) return;
      queue.put({ ...item, hold: 0, entry: position ? { ...item.entry, position } : item.entry });
    });
  }

  /**
   * Says that a request with these entries begins.
   * @param {Item[]} items
   */
  async begin(items) {
    if (items.every(({ tried }) => tried)) return items;
    return this.#write(["queue"], async ({ queue }) => {
      /** @type {Item[]} */
      const now = await Promise.all(items.map(({ seq }) => result(queue.get(seq))));
      const left = now.filter(Boolean).map((item) => ({ ...item, tried: true }));
      for (const item of left) queue.put(item);
      return left;
    });
  }

  /**
   * Stores what became of entries: accepted ones leave the queue and are part of their round, others
   * keep the reason.
   * @param {Item[]} items
   * @param {(item: Item) => Refusal | null} outcome
   */
  settle(items, outcome) {
    return this.#write(["queue", "rounds", "media"], async ({ queue, rounds, media }) => {
      /** @type {Item[]} */
      const accepted = [];
      for (const item of items) {
        const refusal = outcome(item);
        if (refusal) {
          queue.put({ ...item, refusal });
        } else {
          queue.delete(item.seq);
          accepted.push(item);
        }
      }
      for (const id of new Set(accepted.map(({ roundId }) => roundId))) {
        /** @type {Round | undefined} */
        const round = await result(rounds.get(id));
        if (round) rounds.put({ ...round, etag: null, record: withEntries(round.record, accepted.filter(({ roundId }) => roundId === id)) });
      }
      await removeUnnamed(media, queue, await result(rounds.getAll()));
    });
  }

  /** @param {number} seq */
  dismiss(seq) {
    return this.#write(["queue", "rounds", "media"], async ({ queue, rounds, media }) => {
      queue.delete(seq);
      await removeUnnamed(media, queue, await result(rounds.getAll()));
    });
  }

  /**
   * @param {string} id
   * @returns {Promise<Medium | undefined>}
   */
  medium(id) {
    return result(this.#read("media").get(id));
  }

  /** @param {Medium} medium */
  putMedium(medium) {
    return this.#write(["media"], ({ media }) => { media.put(medium); });
  }
}

/**
 * Removes media that nothing names, and the files of those that no entry in the queue names.
 * @param {IDBObjectStore} media
 * @param {IDBObjectStore} queue
 * @param {Round[]} rounds
 */
async function removeUnnamed(media, queue, rounds) {
  /** @type {Item[]} */
  const items = await result(queue.getAll());
  const waiting = new Set(items.flatMap(({ entry }) => entry.mediaIds ?? []));
  const shown = new Set(rounds.flatMap(({ record }) => record.steps)
    .flatMap(({ actions }) => actions).flatMap(({ mediaIds }) => mediaIds ?? []));
  for (const id of await result(media.getAllKeys())) {
    if (waiting.has(String(id))) continue;
    /** @type {Medium} */
    const medium = await result(media.get(id));
    if (!shown.has(String(id))) media.delete(id);
    else if (medium.blob) media.put({ ...medium, blob: null });
  }
}
