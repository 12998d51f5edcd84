// A round: what entries do to it, and what is left to do. The service has the same rules.

/** @typedef {import("../types.js").Execution} Execution */
/** @typedef {import("../types.js").Action} Action */
/** @typedef {import("../types.js").Item} Item */
/** @typedef {import("../types.js").Entry} Entry */
/** @typedef {import("../types.js").Person} Person */

/**
 * The round as it is once these entries have been accepted. An entry that its state does not allow
 * has no effect.
 * @param {Execution} record
 * @param {Pick<Item, "entry" | "userId">[]} items
 * @returns {Execution}
 */
export function withEntries(record, items) {
  if (items.length === 0) return record;
  const round = structuredClone(record);
  for (const { entry, userId } of items) apply(round, entry, userId);
  return round;
}

/**
 * @param {Execution} round
 * @param {Entry} entry
 * @param {string} userId
 */
function apply(round, entry, userId) {
  if (entry.type === "START") {
    if (round.state !== "PENDING") return;
    round.state = "IN_PROGRESS";
    round.performerId = userId;
  } else if (round.state === "IN_PROGRESS" && entry.type === "COMPLETE") {
    round.state = "COMPLETED";
  } else if (round.state === "IN_PROGRESS" && entry.type !== "NOTE") {
    const step = round.steps.find(({ id }) => id === entry.stepId);
    const action = step?.actions.find(({ id }) => id === entry.actionId);
    if (!step || (entry.type === "RESULT" && !action)) return;
    if (action) {
      action.state = "COMPLETED";
      action.booleanValue = entry.booleanValue ?? null;
      action.numberValue = entry.numberValue ?? null;
      action.textValue = entry.textValue ?? null;
      action.mediaIds = entry.mediaIds ?? null;
    }
    const isDone = entry.type === "FINISH_STEP"
      || (entry.type === "RESULT" && step.actions.every(({ state }) => state === "COMPLETED"));
    if (step.state !== "COMPLETED") step.state = isDone ? "COMPLETED" : "IN_PROGRESS";
  }
}

/**
 * Whether an entry would do something. A button that is pressed twice records once.
 * @param {Execution} round
 * @param {Pick<Entry, "type" | "stepId">} entry
 */
export function takesEffect(round, { type, stepId }) {
  if (type === "NOTE") return true;
  if (type === "START") return round.state === "PENDING";
  const isDone = type === "FINISH_STEP" && round.steps.find(({ id }) => id === stepId)?.state === "COMPLETED";
  return round.state === "IN_PROGRESS" && !isDone;
}

/**
 * Whether the person may report on the round.
 * @param {Pick<Execution, "assigneeIds">} round
 * @param {Pick<Person, "userId" | "role">} person
 */
export function mayWalk(round, person) {
  return person.role !== "EMPLOYEE" || round.assigneeIds.length === 0 || round.assigneeIds.includes(person.userId);
}

/**
 * The number of steps that are done.
 * @param {Execution} round
 */
export function stepsDone(round) {
  return round.steps.filter(({ state }) => state === "COMPLETED").length;
}

/**
 * The number of required actions without an answer.
 * @param {Execution} round
 */
export function missingAnswers(round) {
  return round.steps.flatMap(({ actions }) => actions).filter(({ required, state }) => required && state !== "COMPLETED").length;
}

/**
 * The number in a text, with a point or a comma and perhaps blanks between its digits; null if it is none.
 * @param {string} text
 */
export function numberIn(text) {
  const plain = text.trim().replace(/(\d)\s(?=\d{3}(?!\d))/g, "$1").replace(",", ".").replace(/^[\u2212\u2013]/, "-");
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : null;
}

/**
 * Whether a number is outside the bounds of its action.
 * @param {Action} action
 * @param {number} value
 */
export function isOutside({ minValue, maxValue }, value) {
  return (minValue !== null && value < minValue) || (maxValue !== null && value > maxValue);
}
