// `/guard/scan#CODE`, where printed labels lead: scans the step that has the code.

import { decoded, stepOfCode } from "../rules/code.js";
import { inOrder, isMine } from "../rules/list.js";
import { waitingOf } from "../rules/queue.js";
import { mayWalk, withEntries } from "../rules/round.js";
import { timeText } from "../texts.js";
import { h } from "../view.js";
import { recordScan, showScanned } from "./round.js";

/** @typedef {import("../context.js").Context} Context */
/** @typedef {import("../types.js").Round} Round */

/** @param {Context} context */
export async function scanPage(context) {
  const { store, person, queue, t, go } = context;
  const code = decoded(location.hash.slice(1));
  const [kept, locationIds] = await Promise.all([store.rounds(), store.kept("locationIds")]);
  const rounds = inOrder(kept.map((round) => (
    { ...round, record: withEntries(round.record, waitingOf(queue, person.userId, round.id)) }
  ))).filter(({ record, isGone }) => !isGone && mayWalk(record, person) && isMine(record, person, locationIds ?? [], Date.now()));
  const having = rounds.filter((round) => stepOfCode(round, code) !== null);
  const walked = having.filter(({ record }) => record.state === "IN_PROGRESS");
  const own = walked.filter(({ record }) => record.performerId === null || record.performerId === person.userId);
  // A scan in the round of somebody else is never made without a question.
  const started = own.length > 0 ? own : walked;
  const take = async (/** @type {Round} */ round) => {
    const step = stepOfCode(round, code);
    if (!step) return;
    const scanned = { technology: "QR", code };
    if (await recordScan(context, round, step, scanned)) showScanned(context, round, step, scanned);
    // In place of the label's address: a person who goes back is not at the point again.
    await go(`/guard/rounds/${round.id}`, "replaceState");
  };
  if (!locationIds && !context.sync.state.isOffline) return { heading: t.scanAddress, content: [h("p", { key: "wait" }, t.loading)] };
  // Only at the arrival: when a round starts later, or the page is loaded again, nobody may be at the point.
  const hasArrived = history.state?.looked !== code;
  history.replaceState({ ...history.state, looked: code }, "");
  if (hasArrived && own.length === 1) {
    // Not awaited: it waits until this drawing is over.
    take(own[0]);
    return null;
  }
  if (code === "") {
    go("/guard", "replaceState");
    return null;
  }
  const choice = started.map((round) => h("li", { key: round.id },
    h("button", { class: "wide", type: "button", "aria-describedby": `of-${round.id}`, onclick: () => take(round) }, round.record.name),
    h("p", { id: `of-${round.id}`, class: "quiet" }, `${round.location} · ${timeText(context.language, round.record.startAt)}`)));
  const toStart = having.filter(({ record }) => record.state === "PENDING").map(({ id, record }) => h("li", { class: "card", key: id },
    h("a", { href: `/guard/rounds/${id}` }, record.name)));
  return {
    heading: started.length > 0 ? t.whichRound : t.scanAddress,
    content: [
      own.length === 0 && started.length > 0 && h("p", { key: "another" }, t.walkedByAnother),
      started.length > 0 ? h("ul", { class: "plain", key: "which" }, choice) : h("p", { key: "none" }, t.noRoundHasCode),
      own.length === 0 && toStart.length > 0 && h("p", { key: "start" }, started.length > 0 ? t.orStartOne : t.startOne),
      own.length === 0 && toStart.length > 0 && h("ul", { class: "rounds", key: "rounds" }, toStart),
      h("p", { key: "back" }, h("a", { href: "/guard" }, t.toRounds)),
    ],
  };
}
