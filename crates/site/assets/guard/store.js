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
 * Whether the person still uses the phone: while something was fetched, another one may have signed in.
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

/** Opens the database again when the browser has closed it. `change` events say that something else is kept. */
export class Store extends EventTarget {
  /** The database, once it is open. @type {Promise<IDBDatabase> | null} */
  #opening = null;
  #others = new BroadcastChannel(NAME);

  constructor() {
    super();
    this.#others.onmessage = () => this.dispatchEvent(new Event("change"));
  }

  static async open() {
    const store = new Store();
    await store.#opened();
    return store;
  }

  #opened() {
    const forget = () => { this.#opening = null; };
    this.#opening ??= open().then((db) => {
      // A phone closes the database of a page that was long out of sight.
      db.onclose = forget;
      // A newer version of the program in another tab may open the database.
      db.onversionchange = () => {
        db.close();
        forget();
      };
      return db;
    }, (error) => {
      forget();
      throw error;
    });
    return this.#opening;
  }

  /**
   * @param {string[]} names
   * @param {IDBTransactionMode} mode
   */
  async #transaction(names, mode) {
    const begin = async () => (await this.#opened()).transaction(names, mode, { durability: "strict" });
    try {
      return await begin();
    } catch (error) {
      if (!(error instanceof DOMException && error.name === "InvalidStateError")) throw error;
      // It was closed, which the store has not been told yet.
      this.#opening = null;
      return begin();
    }
  }

  /**
   * Runs a transaction. It is on the disk when the promise is fulfilled.
   * @template T
   * @param {string[]} names
   * @param {(stores: Record<string, IDBObjectStore>) => Promise<T> | T} work
   * @returns {Promise<T>}
   */
  async #write(names, work) {
    const transaction = await this.#transaction(names, "readwrite");
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
      // Nothing of it is kept. A request that failed has aborted it, and says why.
      try { transaction.abort(); } catch { /* it is over */ }
      await done.catch((reason) => { throw reason ?? error; });
      throw error;
    }
  }

  /**
   * @template T
   * @param {string} name
   * @param {(store: IDBObjectStore) => IDBRequest<T>} request
   * @returns {Promise<T>}
   */
  async #read(name, request) {
    return result(request((await this.#transaction([name], "readonly")).objectStore(name)));
  }

  /**
   * @param {"person" | "locationIds" | "leaving" | "mustConfirm" | "language"} key
   * @returns {Promise<any>}
   */
  async kept(key) {
    return (await this.#read("kept", (kept) => kept.get(key))) ?? null;
  }

  /**
   * @param {"person" | "locationIds" | "leaving" | "mustConfirm" | "language"} key
   * @param {unknown} value Null: nothing.
   */
  keep(key, value) {
    return this.#write(["kept"], ({ kept }) => { if (value === null) kept.delete(key); else kept.put(value, key); });
  }

  /**
   * Keeps who is signed in, and forgets what was fetched for another person; unless a person has signed out or in
   * since the service was asked.
   * @param {Person} person
   * @param {string | null} before The user who was kept when the service was asked.
   */
  signIn(person, before) {
    return this.#write(["kept", "rounds", "media", "queue"], async ({ kept, rounds, media, queue }) => {
      const [current, leaving] = await Promise.all([result(kept.get("person")), result(kept.get("leaving"))]);
      if (leaving || (current?.userId ?? null) !== before) return;
      // What is the same is not written: there may be no room.
      if (JSON.stringify(current) !== JSON.stringify(person)) kept.put(person, "person");
      kept.delete("mustConfirm");
      if (before === null || before === person.userId) return;
      kept.delete("locationIds");
      rounds.clear();
      await removeUnnamed(media, queue, []);
    });
  }

  /**
   * Forgets the person and all that was fetched, unless another person has signed in since. What waits stays.
   * @param {string} userId
   * @param {string | null} leaving The CSRF token of the session that is still to be ended.
   */
  forget(userId, leaving) {
    return this.#write(["kept", "rounds", "media", "queue"], async ({ kept, rounds, media, queue }) => {
      if (!await isUsedBy(kept, userId)) return;
      for (const key of ["person", "locationIds", "mustConfirm", "leaving"]) kept.delete(key);
      if (leaving !== null) kept.put(leaving, "leaving");
      rounds.clear();
      await removeUnnamed(media, queue, []);
    });
  }

  /** @returns {Promise<Round[]>} */
  rounds() {
    return this.#read("rounds", (rounds) => rounds.getAll());
  }

  /**
   * @param {string} id
   * @returns {Promise<Round | undefined>}
   */
  round(id) {
    return this.#read("rounds", (rounds) => rounds.get(id));
  }

  /**
   * Keeps rounds that were fetched, if the person still uses the phone.
   * @param {Round[]} fetched
   * @param {string} userId
   */
  putRounds(fetched, userId) {
    return this.#write(["kept", "rounds"], async ({ kept, rounds }) => {
      if (!await isUsedBy(kept, userId)) return;
      for (const round of fetched) rounds.put(round);
    });
  }

  /**
   * Replaces the rounds by those that were fetched, if the person still uses the phone. A round with
   * entries in the queue stays.
   * @param {Round[]} fetched
   * @param {Set<string>} gone The rounds that were asked for and are not there.
   * @param {string[]} locationIds
   * @param {string | null} shown The round that the page shows.
   * @param {string} userId
   */
  replaceRounds(fetched, gone, locationIds, shown, userId) {
    return this.#write(["kept", "rounds", "media", "queue"], async ({ kept, rounds, media, queue }) => {
      if (!await isUsedBy(kept, userId)) return;
      kept.put(locationIds, "locationIds");
      /** @type {Item[]} */
      const items = await result(queue.getAll());
      const stay = new Set([...fetched.map(({ id }) => id), ...items.map(({ roundId }) => roundId), shown]);
      /** @type {Round[]} */
      const known = await result(rounds.getAll());
      for (const round of known) {
        if (!stay.has(round.id)) rounds.delete(round.id);
        else if (gone.has(round.id)) rounds.put({ ...round, isGone: true });
      }
      for (const round of fetched) rounds.put(round);
      await removeUnnamed(media, queue, await result(rounds.getAll()));
    });
  }

  /** @returns {Promise<Item[]>} */
  queue() {
    return this.#read("queue", (queue) => queue.getAll());
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
    return this.#read("media", (media) => media.get(id));
  }

  /**
   * Keeps a small picture that was fetched, if the person still uses the phone.
   * @param {Medium} medium
   * @param {string} userId
   */
  putMedium(medium, userId) {
    return this.#write(["kept", "media"], async ({ kept, media }) => {
      if (await isUsedBy(kept, userId)) media.put(medium);
    });
  }

  /**
   * Says whether the service has these media.
   * @param {string[]} ids
   * @param {boolean} sent
   */
  markSent(ids, sent) {
    return this.#write(["media"], async ({ media }) => {
      for (const id of ids) {
        /** @type {Medium | undefined} */
        const medium = await result(media.get(id));
        if (medium) media.put({ ...medium, sent });
      }
    });
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
