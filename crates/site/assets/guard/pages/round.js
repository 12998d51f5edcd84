// A round: its steps, what is recorded at each, and what the service did not accept.

import { canReadTags, readTag, scan, thumbnail, uuid, vibrate } from "../device.js";
import { codeIn, pointOf, stepOfCode, stepOfTag, technologyOf, withinLimit } from "../rules/code.js";
import { waitingOf } from "../rules/queue.js";
import { isOutside, mayWalk, missingAnswers, numberIn, stepsDone, withEntries } from "../rules/round.js";
import { numberText, timeText } from "../texts.js";
import { ask, h, listOf } from "../view.js";

/** @typedef {import("../context.js").Context} Context */
/** @typedef {import("../context.js").Said} Said */
/** @typedef {import("../types.js").Action} Action */
/** @typedef {import("../types.js").Entry} Entry */
/** @typedef {import("../types.js").Item} Item */
/** @typedef {import("../types.js").Medium} Medium */
/** @typedef {import("../types.js").Round} Round */
/** @typedef {import("../types.js").Step} Step */

/** The round that the page shows, as it is now: an element may be older than it. @type {Round} */
let walked;

/**
 * Answers that could not be recorded, by action: what was typed stays in its field. The number of failures has the
 * action drawn anew each time, so that a radio button that was pressed is as before.
 * @type {Map<string, { typed: string, failures: number }>}
 */
const notRecorded = new Map();

/** The longest text of an entry, in characters. */
const MAX_TEXT = 10_000;

/**
 * @param {Context} context
 * @param {string} id
 */
export async function roundPage(context, id) {
  const { store, sync, person, queue, t } = context;
  sync.shown = id;
  const kept = await store.round(id);
  const refused = queue.filter(({ roundId, userId, refusal }) => roundId === id && userId === person.userId && refusal);
  loadPictures(context, refused.flatMap(({ entry }) => entry.mediaIds ?? []));
  if (!kept) return absent(context, id, refused);
  fetched.delete(id);
  const round = { ...kept, record: withEntries(kept.record, waitingOf(queue, person.userId, id)) };
  const { record } = round;
  // The list of them may be out of sight.
  const before = refusedBefore.get(id) ?? 0;
  refusedBefore.set(id, refused.length);
  if (refused.length > before) context.alert(t.someRefused);
  else if (refused.length === 0) context.takeBack(t.someRefused);
  const isWalker = !round.isGone && mayWalk(record, person);
  const next = record.steps.find(({ state }) => state !== "COMPLETED");
  walked = round;
  loadPictures(context, record.steps.flatMap(({ actions }) => actions.flatMap(({ mediaIds }) => mediaIds ?? [])));
  const isWalked = isWalker && record.state === "IN_PROGRESS";
  const steps = record.steps.map((step) => ({
    key: step.id,
    stamp: JSON.stringify([person.userId, context.language, step, isWalked, step === next, pointOf(round, step)?.name,
      step.actions.map(({ id: action, mediaIds }) => [notRecorded.get(action), mediaIds?.map((medium) => addressOf.get(medium))])]),
    build: () => stepItem(context, round, step, isWalked, step === next),
  }));
  return {
    heading: record.name,
    content: [
      record.description && h("p", { key: "description" }, record.description),
      h("p", { key: "where", class: "quiet" }, round.location, " · ", h("time", { datetime: record.startAt }, timeText(context.language, record.startAt)),
        " – ", h("time", { datetime: record.endAt }, timeText(context.language, record.endAt))),
      record.orderStepsRequired && h("p", { key: "order" }, t.stepsInOrder),
      record.strictTimeRequired && h("p", { key: "time" }, t.strictTime),
      refusedList(context, refused, round),
      !isWalker && h("p", { key: "reader", class: round.isGone ? "alert" : null }, round.isGone ? t.reasons["not.found"] : t.readOnly),
      isWalker && record.state === "PENDING" && h("button", { key: "start", class: "wide main", type: "button", onclick: () => goOn(context, round, { type: "START" }) }, t.startRound),
      record.state === "COMPLETED" && h("p", { key: "completed", id: "completed", tabindex: "-1", class: "notice" }, t.roundDone),
      h("p", { key: "progress" }, t.stepsOf(stepsDone(record), record.steps.length)),
      listOf("ol", { key: "steps", class: "steps", "aria-label": t.steps }, steps),
      isWalker && h("div", { key: "end", class: "row" },
        h("button", { key: "note", class: "plain wide", type: "button", onclick: () => addNote(context, round) }, t.addNote),
        record.state === "IN_PROGRESS" && h("button", { key: "finish", id: "finish", class: "wide main", type: "button", onclick: () => finish(context, round) }, t.finishRound)),
      h("p", { key: "back" }, h("a", { href: "/guard" }, t.toRounds)),
    ],
  };
}

/**
 * Records an entry whose button goes away with it, and moves to what is done next: the first step that is not done.
 * @param {Context} context
 * @param {Round} round
 * @param {Said} said
 */
async function goOn(context, round, said) {
  const pressed = document.activeElement;
  if (!await context.record(round, said)) return;
  const { state, steps } = await context.current(round);
  // Meanwhile a person may type in a field.
  if (![pressed, document.body].includes(/** @type {any} */ (document.activeElement))) return;
  const next = steps.find((step) => step.state !== "COMPLETED");
  await context.moveTo(state === "COMPLETED" ? "completed" : next?.id ?? "finish");
}

/** How many entries of a round were refused when it was drawn last. @type {Map<string, number>} */
const refusedBefore = new Map();

/** What became of fetching a round that is not on the phone. @type {Map<string, "loading" | "found" | "absent" | "offline">} */
const fetched = new Map();

/**
 * The page of a round that is not on the phone; it is fetched meanwhile.
 * @param {Context} context
 * @param {string} id
 * @param {Item[]} refused
 */
function absent(context, id, refused) {
  const { t, sync, redraw } = context;
  if (!fetched.has(id)) {
    fetched.set(id, "loading");
    sync.fetchRound(id).then((outcome) => {
      fetched.set(id, outcome);
      return redraw();
    });
  }
  const left = refusedList(context, refused, null);
  const back = h("p", { key: "back" }, h("a", { href: "/guard" }, t.toRounds));
  switch (fetched.get(id)) {
    case "absent":
      return { heading: t.roundAbsent, content: [h("p", { key: "about" }, t.roundAbsentAbout), left, back] };
    case "offline":
      return { heading: t.roundOffline, content: [h("p", { key: "about" }, t.roundOfflineAbout), left, back] };
    default:
      return { heading: t.loading, content: [back] };
  }
}

/**
 * @param {Context} context
 * @param {Round} round
 */
async function finish(context, round) {
  // The press that leaves a field may be this one.
  const missing = missingAnswers(await context.current(round));
  const { t } = context;
  const isSure = missing === 0 || await ask(t.missingAnswers(missing), (close) => [
    h("div", { class: "row" },
      h("button", { type: "button", class: "plain", onclick: () => close(null) }, t.cancel),
      h("button", { type: "button", class: "main", onclick: () => close(true) }, t.finishAnyway)),
  ]);
  if (isSure) await goOn(context, round, { type: "COMPLETE" });
}

/**
 * @param {Context} context
 * @param {Round} round
 * @param {Step} step
 * @param {boolean} isWalked Whether the round is in progress, and the person walks it.
 * @param {boolean} isNext
 */
function stepItem(context, round, step, isWalked, isNext) {
  const { t } = context;
  const state = /** @type {const} */ ({ PENDING: "notStarted", IN_PROGRESS: "open", COMPLETED: "done" })[step.state];
  const point = pointOf(round, step);
  const answers = step.state === "PENDING" ? [] : step.actions.map((action) => actionField(context, round, step, action, isWalked));
  return h("li", { key: step.id, class: `card step ${isNext && isWalked ? "next" : ""}` },
    h("h2", { id: step.id, tabindex: "-1" }, step.name),
    point && point.name !== step.name && h("p", { key: "point", class: "quiet" }, point.name),
    h("p", { key: "state" }, h("strong", { class: `state ${state}` }, t[state])),
    isWalked && step.state !== "COMPLETED" && h("div", { key: "scan", class: "row" }, scanButtons(context, step)),
    answers.length > 0 && h("details", { key: "answers", open: step.state === "IN_PROGRESS" }, h("summary", {}, t.answers), answers),
    isWalked && step.state === "IN_PROGRESS" && h("button", {
      key: "finish", class: "wide main", type: "button", onclick: () => goOn(context, round, { type: "FINISH_STEP", stepId: step.id }),
    }, t.finishStep));
}

/**
 * @param {Context} context
 * @param {Step} step
 */
function scanButtons(context, step) {
  const { t } = context;
  const button = (/** @type {string} */ label, /** @type {() => unknown} */ onclick, kind = "plain") =>
    h("button", { key: label, type: "button", class: kind, "aria-describedby": step.id, onclick }, label);
  return [
    button(t.scan, () => scanCode(context, walked), step.state === "PENDING" ? "main" : "plain"),
    canReadTags() && button(t.tapTag, () => tapTag(context, walked)),
    button(t.enterCode, () => enterCode(context, walked, step)),
    button(t.noCode, () => scanStep(context, walked, step, { technology: technologyOf(pointOf(walked, step)), code: null })),
  ];
}

/** How a step was scanned. @typedef {{ technology: string, code: string | null }} Scanned */

/**
 * Records a scan and moves to its step.
 * @param {Context} context
 * @param {Round} round
 * @param {Step} step
 * @param {Scanned} scanned
 */
async function scanStep(context, round, step, scanned) {
  if (await recordScan(context, round, step, scanned)) await showScanned(context, round, step, scanned);
}

/**
 * @param {Context} context
 * @param {Round} round
 * @param {Step} step
 * @param {Scanned} scanned
 */
export function recordScan(context, round, step, scanned) {
  return context.record(round, { type: "SCAN", stepId: step.id, ...withinLimit(round, step, scanned) });
}

/**
 * Says what was scanned, and moves to its step.
 * @param {Context} context
 * @param {Round} round
 * @param {Step} step
 * @param {Scanned} scanned
 */
export function showScanned(context, round, step, { technology, code }) {
  const isKnown = code === null || pointOf(round, step)?.[technology === "QR" ? "qrCode" : "rfidCode"] === code;
  vibrate(isKnown ? "taken" : "wrong");
  if (code !== null) context.say(isKnown ? "notice" : "alert", isKnown ? context.t.codeTaken(step.name) : context.t.codeKept(step.name));
  return context.moveTo(step.id);
}

/**
 * @param {Context} context
 * @param {Round} round
 * @param {string} code
 * @param {Step | null} otherwise The step of a code that no step has.
 */
async function take(context, round, code, otherwise) {
  const step = stepOfCode(round, code) ?? otherwise;
  if (step) return scanStep(context, round, step, { technology: "QR", code });
  vibrate("wrong");
  context.alert(context.t.unknownCode);
}

/**
 * @param {Context} context
 * @param {Round} round
 */
async function scanCode(context, round) {
  const { t, api, person } = context;
  const stop = new AbortController();
  const video = /** @type {HTMLVideoElement} */ (h("video", { muted: true, playsinline: true }));
  const text = await ask(t.scanHeading, (close) => {
    scan(video, stop.signal, (picture) => api.codes(person.csrf, picture)).then(close, () => {
      close(null);
      context.alert(t.noCamera);
    });
    return [video, h("p", {}, t.scanAbout), h("button", { type: "button", class: "plain wide", onclick: () => close(null) }, t.cancel)];
  });
  stop.abort();
  if (text !== null) await take(context, round, codeIn(text, location.origin), null);
}

/**
 * @param {Context} context
 * @param {Round} round
 * @param {Step} step
 */
async function enterCode(context, round, step) {
  const { t } = context;
  const field = /** @type {HTMLInputElement} */ (h("input", { id: "code", autocomplete: "off", autocapitalize: "none", spellcheck: "false", maxlength: String(MAX_TEXT) }));
  const text = await ask(t.enterCode, (close) => [h("form", {
    onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      close(field.value.trim() || null);
    },
  }, h("p", { class: "field" }, h("label", { for: "code" }, t.code), field), dialogButtons(t.cancel, t.save, () => close(null)))]);
  if (text !== null) await take(context, round, codeIn(text, location.origin), step);
}

/**
 * @param {Context} context
 * @param {Round} round
 */
async function tapTag(context, round) {
  const { t } = context;
  const stop = new AbortController();
  const texts = await ask(t.tapTag, (close) => {
    readTag(stop.signal).then(close, () => {
      close(null);
      context.alert(t.noTags);
    });
    return [h("p", {}, t.tapAbout), h("button", { type: "button", class: "plain wide", onclick: () => close(null) }, t.cancel)];
  });
  stop.abort();
  if (texts === null) return;
  const found = stepOfTag(round, texts.map((/** @type {string} */ text) => codeIn(text, location.origin)));
  if (found) return scanStep(context, round, found.step, { technology: "NFC", code: found.code });
  vibrate("wrong");
  context.alert(t.unknownTag);
}

/**
 * @param {string} cancel
 * @param {string} save
 * @param {() => void} onclick
 */
function dialogButtons(cancel, save, onclick) {
  return h("div", { class: "row" }, h("button", { type: "button", class: "plain", onclick }, cancel), h("button", { class: "main" }, save));
}

/**
 * The field of an action, or its answer where nothing may be changed.
 * @param {Context} context
 * @param {Round} round
 * @param {Step} step
 * @param {Action} action
 * @param {boolean} isWalked
 */
function actionField(context, round, step, action, isWalked) {
  const { t } = context;
  const { id, name } = action;
  const result = { type: /** @type {const} */ ("RESULT"), stepId: step.id, actionId: id };
  const record = async (/** @type {Partial<Entry>} */ value, typed = "") => {
    const before = notRecorded.get(id);
    const isRecorded = await context.record(round, { ...result, ...value });
    if (isRecorded) notRecorded.delete(id);
    else notRecorded.set(id, { typed, failures: (before?.failures ?? 0) + 1 });
    if (before || !isRecorded) await context.redraw();
  };
  const left = notRecorded.get(id);
  // What was not recorded is recorded the next time, although it does not change.
  const whenLeft = left ? "onblur" : "onchange";
  const taken = left ? t.notRecorded : action.state === "COMPLETED" && t.recorded;
  const hints = [action.required && t.required, action.type === "NUMBER" && boundsOf(context, action), taken].filter(Boolean).join(" · ");
  const hint = hints !== "" && h("span", { id: `hint-${id}`, class: "quiet" }, hints);
  /** @type {Record<string, string>} */
  const described = hint ? { "aria-describedby": `hint-${id}` } : {};
  const disabled = !isWalked;
  switch (action.type) {
    case "BOOLEAN":
      return h("fieldset", { key: id, class: "field", ...described }, h("legend", {}, name), hint,
        h("div", { class: "row" }, [true, false].map((value) => h("label", { class: "choice" },
          h("input", { type: "radio", name: id, disabled, checked: action.booleanValue === value, onchange: () => record({ booleanValue: value }) }),
          value ? t.yes : t.no))));
    case "NUMBER": {
      const value = action.numberValue;
      const warning = value !== null && isOutside(action, value) && h("strong", { key: "outside", class: "warning", role: "alert" }, t.outside);
      return h("p", { key: id, class: "field" }, h("label", { for: id }, name), hint,
        h("input", {
          // Not of the type number: that drops a comma without a word where the language has points.
          id, inputmode: "decimal", autocomplete: "off", disabled, value: left?.typed ?? value ?? "", ...described,
          [whenLeft]: (/** @type {Event} */ event) => {
            const typed = /** @type {HTMLInputElement} */ (event.target);
            const number = numberIn(typed.value);
            if (number !== null) return record({ numberValue: number }, typed.value);
            if (typed.value.trim() === "") {
              // An answer cannot be taken back.
              typed.value = value === null ? "" : String(value);
              notRecorded.delete(id);
              context.takeBack(t.notNumber);
            } else {
              notRecorded.set(id, { typed: typed.value, failures: (left?.failures ?? 0) + 1 });
              context.alert(t.notNumber);
            }
            return context.redraw();
          },
        }), warning);
    }
    case "TEXT":
      return h("p", { key: id, class: "field" }, h("label", { for: id }, name), hint,
        h("textarea", {
          id, rows: "2", maxlength: String(MAX_TEXT), disabled, value: left?.typed ?? action.textValue ?? "", ...described,
          [whenLeft]: (/** @type {Event} */ event) => {
            const { value } = /** @type {HTMLTextAreaElement} */ (event.target);
            return record({ textValue: value }, value);
          },
        }));
    default: {
      // What was recorded since the page was drawn counts, too: pictures are chosen and removed one after the other.
      const change = (/** @type {(ids: string[]) => string[]} */ changed, /** @type {Medium[]} */ files = []) => context.record(round, (execution) => {
        const current = execution.steps.flatMap(({ actions }) => actions).find((other) => other.id === id);
        const mediaIds = changed(current?.mediaIds ?? []);
        if (mediaIds.length > 0) return { ...result, mediaIds };
        context.alert(t.lastPicture);
        return null;
      }, files);
      return h("div", { key: id, class: "field" }, h("label", { for: id }, name), hint,
        pictures(t, action.mediaIds ?? [], !disabled && ((removed) => change((ids) => ids.filter((other) => other !== removed)))),
        fileField(t, id, described, disabled, async (chosen) => {
          const media = await chosen;
          if (media.length > 0) await change((ids) => [...ids, ...media.map((medium) => medium.id)], media);
        }, (fault) => context.alert(fault)));
    }
  }
}

/**
 * @param {Context} context
 * @param {Action} action
 */
function boundsOf({ t, language }, { minValue, maxValue }) {
  const low = minValue === null ? null : numberText(language, minValue);
  const high = maxValue === null ? null : numberText(language, maxValue);
  if (low !== null && high !== null) return t.between(low, high);
  return low !== null ? t.atLeast(low) : high !== null && t.atMost(high);
}

/**
 * Whether the service may take a file of this kind. It looks into the file; browsers have many names for a kind, or none.
 * @param {File} file
 */
function mayFit({ type }) {
  return type === "" || type === "application/pdf" || (/^(image|video|audio)\//.test(type) && !["image/gif", "image/svg+xml"].includes(type));
}

/**
 * A field for files; a phone offers its camera first.
 * @param {import("../texts.js").Texts} t
 * @param {string} id
 * @param {Record<string, string>} described
 * @param {boolean} disabled
 * @param {(media: Promise<Medium[]>) => Promise<unknown>} chosen
 * @param {(fault: string) => void} say Says what is wrong with a file.
 */
function fileField(t, id, described, disabled, chosen, say) {
  return h("input", {
    id, type: "file", multiple: true, accept: "image/*,video/mp4,audio/mpeg,audio/mp4,application/pdf", capture: "environment", disabled, ...described,
    onchange: async (/** @type {Event} */ event) => {
      const field = /** @type {HTMLInputElement} */ (event.target);
      const files = [...field.files ?? []];
      const fit = files.filter(mayFit);
      // A picture may be in the cloud, or too large for the phone.
      await chosen(Promise.all(fit.map(mediumOf))).catch(() => say(t.failed));
      // After that: the entry of the others takes back what was said before.
      if (fit.length < files.length) say(t.reasons["validation.media.failed"]);
      field.value = "";
    },
  });
}

/**
 * @param {File} file
 * @returns {Promise<Medium>}
 */
async function mediumOf(file) {
  // A copy: the file itself may be gone from the phone when it is sent.
  const blob = new Blob([await file.arrayBuffer()], { type: file.type });
  return { id: uuid(), blob, thumb: await thumbnail(blob), sent: false };
}

/** The addresses of small pictures, by medium. @type {Map<string, string>} */
const addressOf = new Map();

/** Forgets what another person may not see. */
export function forgetPerson() {
  for (const address of addressOf.values()) URL.revokeObjectURL(address);
  addressOf.clear();
  for (const kept of [lookedFor, notRecorded, fetched, refusedBefore, drafts]) kept.clear();
}

/** After how long a small picture that could not be had is looked for again, in milliseconds. */
const LOOK_AGAIN = 60_000;

/** The media whose small pictures were looked for. @type {Set<string>} */
const lookedFor = new Set();

/**
 * Looks for the small pictures of these media, and draws the page again when there is one.
 * @param {Context} context
 * @param {string[]} ids
 */
function loadPictures(context, ids) {
  for (const id of ids) {
    if (lookedFor.has(id)) continue;
    lookedFor.add(id);
    loadPicture(context, id);
  }
}

/**
 * @param {Context} context
 * @param {string} id
 */
async function loadPicture({ store, api, person, redraw }, id) {
  let medium = await store.medium(id);
  if (!medium && navigator.onLine) {
    const file = await api.file(person.csrf, id);
    medium = file ? { id, blob: null, thumb: await thumbnail(file), sent: true } : undefined;
    if (medium) await store.putMedium(medium, person.userId);
  }
  if (!medium) setTimeout(() => lookedFor.delete(id), LOOK_AGAIN);
  // Meanwhile another person may use the phone.
  if (!medium?.thumb || (await store.kept("person"))?.userId !== person.userId) return;
  addressOf.set(id, URL.createObjectURL(medium.thumb));
  await redraw();
}

/**
 * @param {import("../texts.js").Texts} t
 * @param {string[]} ids
 * @param {false | ((id: string) => unknown)} remove
 */
function pictures(t, ids, remove) {
  const items = ids.map((id, at) => {
    const address = addressOf.get(id);
    const name = t.picture(at + 1);
    return h("li", { key: id }, address ? h("img", { src: address, alt: name }) : h("span", {}, name),
      remove && h("button", { type: "button", class: "plain", onclick: () => remove(id) }, t.remove));
  });
  return items.length > 0 && h("ul", { key: "pictures", class: "pictures" }, items);
}

/** Notes that were neither saved nor cancelled, by person and round. @type {Map<string, { text: string, media: Medium[] }>} */
const drafts = new Map();

/**
 * @param {Context} context
 * @param {Round} round
 */
async function addNote(context, round) {
  const { t } = context;
  context.say("notice", null);
  const text = /** @type {HTMLTextAreaElement} */ (h("textarea", { id: "note", rows: "4", maxlength: String(MAX_TEXT) }));
  /** @type {Medium[]} */
  const media = [];
  const small = h("ul", { class: "pictures" });
  const fault = h("p", { class: "warning", role: "alert" });
  /** The pictures that are being read. @type {Promise<unknown>} */
  let reading = Promise.resolve();
  let isSaving = false;
  const key = `${context.person.userId}/${round.id}`;
  const draft = drafts.get(key);
  const add = async (/** @type {Promise<Medium[]>} */ chosen) => {
    const added = await chosen;
    media.push(...added);
    for (const { thumb } of added) {
      const address = thumb && URL.createObjectURL(thumb);
      small.append(h("li", {}, address ? h("img", { src: address, alt: t.picture(small.children.length + 1) }) : t.picture(small.children.length + 1)));
    }
  };
  const read = (/** @type {Promise<Medium[]>} */ chosen) => {
    const added = add(chosen);
    reading = Promise.allSettled([reading, added]);
    return added;
  };
  const files = fileField(t, "note-files", {}, false, read, (said) => { fault.textContent = said; });
  if (draft) {
    text.value = draft.text;
    read(Promise.resolve(draft.media));
  }
  const save = async () => {
    fault.textContent = "";
    await reading;
    if (fault.textContent !== "") return false;
    const textValue = text.value.trim();
    const isEmpty = textValue === "" && media.length === 0;
    const content = { ...(textValue === "" ? {} : { textValue }), ...(media.length === 0 ? {} : { mediaIds: media.map(({ id }) => id) }) };
    const isSaved = !isEmpty && await context.record(round, { type: "NOTE", ...content }, media);
    if (!isSaved) fault.textContent = isEmpty ? t.emptyNote : context.failure ?? t.failed;
    return isSaved;
  };
  // Otherwise it was left by the key or the gesture that goes back, perhaps by mistake.
  let isOver = false;
  await ask(t.addNote, (close) => [h("form", {
    onsubmit: async (/** @type {Event} */ event) => {
      event.preventDefault();
      if (isSaving) return;
      isSaving = true;
      if (await save()) {
        isOver = true;
        // It may have been left while a picture was read.
        drafts.delete(key);
        close(true);
        context.say("notice", t.noteSaved);
      }
      isSaving = false;
    },
  },
  h("p", { class: "field" }, h("label", { for: "note" }, t.text), text),
  h("div", { class: "field" }, h("label", { for: "note-files" }, t.pictures), small, files),
  fault, dialogButtons(t.cancel, t.saveNote, () => {
    isOver = true;
    close(null);
  }))]);
  if (isOver) drafts.delete(key);
  else drafts.set(key, { text: text.value, media });
}

/**
 * What the service did not accept.
 * @param {Context} context
 * @param {Item[]} refused
 * @param {Round | null} round Null: it is not on the phone.
 */
function refusedList(context, refused, round) {
  return refused.length > 0 && h("section", { key: "refused", class: "card refused", "aria-labelledby": "refused" },
    h("h2", { id: "refused" }, context.t.notAccepted), h("ul", { class: "plain" }, refused.map((item) => refusedItem(context, round, item))));
}

/**
 * @param {Context} context
 * @param {Round | null} round
 * @param {Item} item
 */
function refusedItem({ t, store, language }, round, { seq, entry, refusal }) {
  const step = round?.record.steps.find(({ id }) => id === entry.stepId);
  const action = step?.actions.find(({ id }) => id === entry.actionId);
  const value = entry.booleanValue === undefined ? entry.numberValue ?? entry.textValue ?? entry.code : entry.booleanValue ? t.yes : t.no;
  const content = [t.types[entry.type], step?.name, action?.name, value, entry.mediaIds && t.files(entry.mediaIds.length)];
  return h("li", { key: String(seq) },
    h("p", {}, h("strong", {}, content.filter((part) => part !== undefined && part !== null && part !== "").join(" · ")), " ",
      h("time", { datetime: entry.at }, timeText(language, entry.at))),
    pictures(t, entry.mediaIds ?? [], false),
    h("p", {}, refusal && reasonOf(t, entry, refusal)),
    h("button", { type: "button", class: "plain", onclick: () => store.dismiss(seq) }, t.dismiss));
}

/**
 * Why an entry was not accepted, in words.
 * @param {import("../texts.js").Texts} t
 * @param {Entry} entry
 * @param {import("../types.js").Refusal} refusal
 */
function reasonOf(t, { type }, { code, message }) {
  if (type === "START" && code === "state.not.allowed") return t.alreadyStarted;
  return t.reasons[code] ?? t.refusedBecause(message);
}
