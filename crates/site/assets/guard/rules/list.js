// My rounds: which rounds a person may walk now.

import { mayWalk } from "./round.js";

/** @typedef {import("../types.js").Execution} Execution */
/** @typedef {import("../types.js").Person} Person */

/** Rounds of a day ago to a day ahead are listed, in milliseconds. */
export const AROUND_NOW = 24 * 3600 * 1000;

/**
 * Whether a round is one of the person's rounds.
 * @param {Pick<Execution, "state" | "startAt" | "performerId" | "assigneeIds" | "published" | "locationId">} round
 * @param {Pick<Person, "userId" | "role">} person
 * @param {string[]} locationIds The locations of the person; none: all.
 * @param {number} now
 */
export function isMine(round, person, locationIds, now) {
  const { userId } = person;
  if (round.state === "COMPLETED") return false;
  if (round.state === "IN_PROGRESS" && round.performerId === userId) return mayWalk(round, person);
  const isForAll = round.published && round.assigneeIds.length === 0
    && (locationIds.length === 0 || locationIds.includes(round.locationId));
  const isNear = Math.abs(Date.parse(round.startAt) - now) <= AROUND_NOW;
  return isNear && (round.assigneeIds.includes(userId) || isForAll);
}

/**
 * How far a round is, in a word.
 * @param {Pick<Execution, "state" | "startAt" | "published">} round
 * @param {number} now
 * @param {number} lateAfter A round that is not started this long after its start is late, in milliseconds.
 * @returns {"planned" | "started" | "late" | "completed"}
 */
export function progressOf({ state, startAt, published }, now, lateAfter) {
  if (state === "COMPLETED") return "completed";
  if (state === "IN_PROGRESS") return "started";
  return published && now > Date.parse(startAt) + lateAfter ? "late" : "planned";
}

/**
 * In order of their start.
 * @template {{ record: Execution }} T
 * @param {T[]} rounds
 * @returns {T[]}
 */
export function inOrder(rounds) {
  const key = (/** @type {T} */ { record }) => record.startAt + record.id;
  return [...rounds].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

