// The queue of entries: what is sent next, what an answer means, and what the status line says.
// docs/guard.md has the table of all states and failures.

/** @typedef {import("../types.js").Item} Item */
/** @typedef {import("../types.js").Answer} Answer */
/** @typedef {import("../types.js").Refusal} Refusal */

/** The most entries of a request. */
export const MAX_ENTRIES = 1000;

/** The most bytes of a request, with room for the brackets and commas. */
export const MAX_BYTES = 8 * 1024 * 1024 - 4096;

/** How long an entry may wait for its position, in milliseconds. */
export const HOLD = 5000;

/** The shortest and the longest wait before entries are sent again, in milliseconds. */
const FIRST_WAIT = 1000;
const LONGEST_WAIT = 60_000;

/**
 * The entries of the person that are sent next: those of one round, in order, without a gap.
 * @param {Item[]} queue In order.
 * @param {string} userId
 * @param {number} now
 * @param {number} [most]
 * @returns {{ items: Item[], wait: number }} `wait`: milliseconds until the first one may be sent.
 */
export function nextBatch(queue, userId, now, most = MAX_ENTRIES) {
  /** @type {Item[]} */
  const items = [];
  let bytes = 0;
  for (const item of queue) {
    if (item.userId !== userId || item.refusal) continue;
    const wait = holdLeft(item, now);
    if (wait > 0) return { items, wait: items.length === 0 ? wait : 0 };
    bytes += new TextEncoder().encode(JSON.stringify(item.entry)).length + 1;
    const isFull = items.length === most || (items.length > 0 && bytes > MAX_BYTES);
    if (isFull || (items.length > 0 && items[0].roundId !== item.roundId)) break;
    items.push(item);
  }
  return { items, wait: 0 };
}

/**
 * The entries of the person that wait, of all rounds or of one.
 * @param {Item[]} queue
 * @param {string} userId
 * @param {string} [of] A round.
 */
export function waitingOf(queue, userId, of) {
  return queue.filter((item) => item.userId === userId && !item.refusal && (of === undefined || item.roundId === of));
}

/**
 * How long the entry still waits for a position. A clock that was set back must not hold it longer.
 * @param {Item} item
 * @param {number} now
 */
function holdLeft({ hold, tried }, now) {
  const left = hold - now;
  return tried || left > HOLD ? 0 : Math.max(0, left);
}

/**
 * Whether a body is an error of the service, and not a page of something in between.
 * @param {any} body
 */
function isError(body) {
  return typeof body?.code === "string" && typeof body?.message === "string";
}

/**
 * What an answer to a report means.
 * - `settled`: what became of each entry, by its id; null: accepted
 * - `refused`: these entries, by their place, will never be accepted, and why
 * - `later`: the same is sent again after a while
 * - `halve`: too much at once
 * - `signIn`: the session is over
 * - `recheck`: the session may be another one
 * @typedef {{ kind: "settled", outcomes: Map<string, Refusal | null> } | { kind: "refused", refusals: Map<number, Refusal> }
 *   | { kind: "later", isOffline: boolean } | { kind: "halve" } | { kind: "signIn" } | { kind: "recheck" }} Verdict
 */

/**
 * @param {Answer} answer
 * @param {string[]} ids The ids of the entries that were sent.
 * @returns {Verdict}
 */
export function judgeReport({ status, body }, ids) {
  if (status === 200) {
    const outcomes = outcomesOf(body, ids);
    return outcomes ? { kind: "settled", outcomes } : { kind: "later", isOffline: false };
  }
  if (status === 413 && ids.length > 1) return { kind: "halve" };
  const verdict = judge(status, body);
  return verdict ?? { kind: "refused", refusals: refusalsOf(body, ids.length) };
}

/**
 * What an answer to an upload means; null: the service has the medium.
 * @param {Answer} answer
 * @returns {Verdict | null}
 */
export function judgeMedium({ status, body }) {
  if ((status === 200 || status === 201) && typeof body?.id === "string") return null;
  return judge(status, body) ?? { kind: "refused", refusals: refusalsOf(body, 1) };
}

/**
 * What all answers have in common; null: the service refuses the request for good.
 * @param {number} status
 * @param {any} body
 * @returns {Verdict | null}
 */
function judge(status, body) {
  if (status === 0) return { kind: "later", isOffline: true };
  const isForGood = status >= 400 && status < 500 && ![408, 425, 429].includes(status) && isError(body);
  if (!isForGood) return { kind: "later", isOffline: false };
  if (status === 401) return { kind: "signIn" };
  return status === 403 ? { kind: "recheck" } : null;
}

/**
 * @param {any} body
 * @param {string[]} ids
 */
function outcomesOf(body, ids) {
  if (!Array.isArray(body?.entries)) return null;
  /** @type {Map<string, Refusal | null>} */
  const outcomes = new Map();
  for (const { id, outcome, code, message } of body.entries) {
    if (outcome === "ACCEPTED" || outcome === "DUPLICATE") outcomes.set(id, null);
    else if (outcome === "REFUSED") outcomes.set(id, { code: String(code), message: String(message) });
  }
  return ids.every((id) => outcomes.has(id)) ? outcomes : null;
}

/**
 * What is wrong with each entry that an error names, by its place; with all of them when it names none.
 * @param {any} body
 * @param {number} count
 * @returns {Map<number, Refusal>}
 */
function refusalsOf(body, count) {
  const details = Array.isArray(body.details) ? body.details : [];
  const refusal = (/** @type {any} */ detail) => {
    const { code, message } = isError(detail) ? detail : body;
    return { code, message };
  };
  /** @type {Map<number, Refusal>} */
  const refusals = new Map();
  for (const detail of details) {
    const place = Number(/^\[(\d+)\]/.exec(String(detail.identifier))?.[1]);
    if (place < count && !refusals.has(place)) refusals.set(place, refusal(detail));
  }
  if (refusals.size > 0) return refusals;
  return new Map(Array.from({ length: count }, (_, place) => [place, refusal(details[0])]));
}

/**
 * Whether an error is about media of entries, such as `[3].mediaIds[0]`.
 * @param {any} body
 */
export function namesMedia(body) {
  const details = Array.isArray(body?.details) ? body.details : [];
  return details.some((/** @type {any} */ { identifier }) => /^\[\d+\]\.mediaIds/.test(String(identifier)));
}

/**
 * How long to wait after this many failures in a row, in milliseconds.
 * @param {number} failures At least 1.
 * @param {number} random From 0 to 1.
 */
export function waitAfter(failures, random) {
  return Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (failures - 1)) * (0.8 + 0.2 * random);
}

/**
 * What the status line says: the state of the person's own entries, and the entries of others.
 * @param {Item[]} queue
 * @param {string | null} userId Null: no person is signed in.
 * @param {{ isSending: boolean, isOffline: boolean }} sending
 * @returns {{ own: "sent" | "sending" | "waiting" | "offline", waiting: number, others: { name: string, count: number }[] }}
 */
export function statusOf(queue, userId, { isSending, isOffline }) {
  const waiting = queue.filter(({ refusal }) => !refusal);
  if (userId === null) return { own: waiting.length > 0 ? "waiting" : "sent", waiting: waiting.length, others: [] };
  const own = waitingOf(queue, userId).length;
  /** @type {Map<string, { name: string, count: number }>} */
  const others = new Map();
  for (const item of waiting) {
    if (item.userId === userId) continue;
    const known = others.get(item.userId);
    others.set(item.userId, { name: item.userName, count: (known?.count ?? 0) + 1 });
  }
  const state = own === 0 ? "sent" : isOffline ? "offline" : isSending ? "sending" : "waiting";
  return { own: state, waiting: own, others: [...others.values()] };
}
