// What every page of the app has: who uses it, what it may do, and how it says something.

import { canLocate, locate, uuid } from "./device.js";
import { HOLD, waitingOf } from "./rules/queue.js";
import { takesEffect, withEntries } from "./rules/round.js";

/** @typedef {import("./types.js").Entry} Entry */
/** @typedef {import("./types.js").Execution} Execution */
/** @typedef {import("./types.js").Item} Item */
/** @typedef {import("./types.js").Medium} Medium */
/** @typedef {import("./types.js").Person} Person */
/** @typedef {import("./types.js").Round} Round */
/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./sync.js").Sync} Sync */
/** @typedef {import("./api.js").Api} Api */
/** @typedef {import("./texts.js").Texts} Texts */

/**
 * What an entry says.
 * @typedef {Pick<Entry, "type"> & Partial<Entry>} Said
 */

/**
 * What an entry says, or how that follows from the round as it is when its turn comes; null: there is nothing to say.
 * @typedef {Said | ((execution: Execution) => Said | null)} Content
 */

/** The entry that is being recorded. @type {Promise<unknown>} */
let recording = Promise.resolve();

/** Fulfilled when nothing is being recorded any more. */
export function allRecorded() {
  return recording;
}

/** Whether the browser was asked to keep the database when it needs room. */
let isPersistenceAsked = false;

/** The context of a page. */
export class Context {
  /** @type {Texts} */ t;
  /** @type {"en" | "ru"} */ language;

  /**
   * @param {Store} store
   * @param {Sync} sync
   * @param {Api} api
   * @param {Person} person
   * @param {Item[]} queue What the page is drawn with.
   * @param {{ say: (kind: "alert" | "notice", text: string | null) => void, takeBack: (text: string) => void, go: (path: string, how?: "pushState" | "replaceState") => Promise<void>, moveTo: (id: string) => Promise<void>, redraw: () => Promise<void>, t: Texts, language: "en" | "ru" }} frame
   */
  constructor(store, sync, api, person, queue, frame) {
    this.store = store;
    this.sync = sync;
    this.api = api;
    this.person = person;
    this.queue = queue;
    this.say = frame.say;
    this.takeBack = frame.takeBack;
    this.go = frame.go;
    this.moveTo = frame.moveTo;
    this.redraw = frame.redraw;
    this.t = frame.t;
    this.language = frame.language;
  }

  /** Why nothing was recorded the last time. @type {string | null} */
  failure = null;

  /** @param {string} text */
  alert(text) {
    this.say("alert", text);
  }

  /**
   * Records an entry: it is on the disk when this is true. Its position is added when the phone has it.
   * One entry is recorded after the other, so that a second press sees what the first has done.
   * @param {Round} round
   * @param {Content} content
   * @param {Medium[]} [files]
   * @returns {Promise<boolean>}
   */
  record(round, content, files = []) {
    const recorded = recording.then(() => this.#record(round, content, files));
    recording = recorded.catch(() => {});
    return recorded;
  }

  /**
   * @param {Round} round
   * @param {Content} content
   * @param {Medium[]} files
   */
  async #record(round, content, files) {
    // What was said about the entry before must not be taken for this one.
    this.say("notice", null);
    const now = Date.now();
    const hold = canLocate() ? now + HOLD : 0;
    const { userId, name } = this.person;
    try {
      if (!isPersistenceAsked) navigator.storage?.persist?.();
      isPersistenceAsked = true;
      const current = await this.#current(round);
      const said = typeof content === "function" ? content(current) : content;
      if (!said || !takesEffect(current, said)) return false;
      /** @type {Entry} */
      const entry = { id: uuid(), at: new Date(now).toISOString(), ...said };
      /** @type {Omit<Item, "seq">} */
      const item = { userId, userName: name, roundId: round.id, roundName: round.record.name, entry, hold, tried: false, refusal: null };
      const seq = await this.store.record(item, files);
      if (hold > 0) {
        locate().then((position) => this.store.locate(seq, position)).catch(() => {}).finally(() => this.sync.run());
      }
    } catch (error) {
      this.failure = error instanceof DOMException && error.name === "QuotaExceededError" ? this.t.storageFull : this.t.failed;
      this.alert(this.failure);
      await this.redraw();
      return false;
    }
    this.sync.run();
    return true;
  }

  /**
   * The round with all that was recorded, also with what is being recorded.
   * @param {Round} round
   */
  async current(round) {
    await recording;
    return this.#current(round);
  }

  /** @param {Round} round */
  async #current(round) {
    // In this order: an entry that is sent meanwhile leaves the queue and becomes a part of the round.
    const queue = await this.store.queue();
    const kept = await this.store.round(round.id);
    return withEntries((kept ?? round).record, waitingOf(queue, this.person.userId, round.id));
  }
}
