// "My rounds": the rounds that the person may walk now.

import { inOrder, isMine, progressOf } from "../rules/list.js";
import { waitingOf } from "../rules/queue.js";
import { stepsDone, withEntries } from "../rules/round.js";
import { timeText } from "../texts.js";
import { h } from "../view.js";

/** @typedef {import("../context.js").Context} Context */

/** @param {Context} context */
export async function roundsPage(context) {
  const { store, sync, person, queue, t, language } = context;
  const [rounds, locationIds] = await Promise.all([store.rounds(), store.kept("locationIds")]);
  const now = Date.now();
  const shown = inOrder(rounds.map((round) => {
    const waiting = waitingOf(queue, person.userId, round.id);
    const kept = queue.filter(({ userId, roundId }) => userId === person.userId && roundId === round.id);
    return { ...round, record: withEntries(round.record, waiting), waiting: waiting.length, refused: kept.length - waiting.length };
  }).filter(({ record, isGone, waiting, refused }) => waiting + refused > 0 || (!isGone && isMine(record, person, locationIds ?? [], now))));
  const items = shown.map(({ id, record, isGone, location, waiting, refused }) => {
    const progress = isGone ? "deleted" : progressOf(record, now, Number(document.body.dataset.lateAfter));
    return h("li", { class: "card", key: id },
      h("h2", {}, h("a", { href: `/guard/rounds/${id}` }, record.name)),
      h("p", {}, location),
      h("p", {}, h("time", { datetime: record.startAt }, timeText(language, record.startAt))),
      h("p", { class: "row" }, h("strong", { class: `state ${progress}` }, t[progress]),
        h("span", {}, t.stepsOf(stepsDone(record), record.steps.length)),
        waiting > 0 && h("span", { class: "quiet" }, t.entriesWait(waiting)),
        refused > 0 && h("strong", { class: "bad" }, t.entriesRefused(refused))));
  });
  const refresh = async () => {
    await sync.run({ fetch: true });
    if (sync.hasFailed) context.alert(t.notRefreshed);
    else context.takeBack(t.notRefreshed);
  };
  const missing = locationIds ? null : sync.state.isOffline ? t.notFetched : t.loading;
  // What is left of rounds that are not on the phone: their entries.
  const left = new Map(queue.filter(({ userId, roundId }) => userId === person.userId && !rounds.some(({ id }) => id === roundId))
    .map(({ roundId, roundName }) => [roundId, roundName]));
  for (const [id, name] of left) {
    items.push(h("li", { class: "card", key: id }, h("h2", {}, h("a", { href: `/guard/rounds/${id}` }, name)), h("p", {}, missing ?? t.roundAbsent)));
  }
  return {
    heading: t.myRounds,
    content: [
      items.length > 0 && h("ol", { class: "rounds", key: "rounds" }, items),
      (items.length === 0 || missing) && h("p", { key: "missing" }, missing ?? t.noRounds),
      h("button", { class: "wide", key: "refresh", type: "button", onclick: refresh }, t.refresh),
    ],
  };
}
