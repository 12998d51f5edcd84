// The start of the app: who uses it, which page is shown, and what the frame around it says.

import { Api } from "./api.js";
import { allRecorded, Context } from "./context.js";
import { forgetPerson, roundPage } from "./pages/round.js";
import { roundsPage } from "./pages/rounds.js";
import { scanPage } from "./pages/scan.js";
import { statusOf, waitingOf } from "./rules/queue.js";
import { Store } from "./store.js";
import { Sync } from "./sync.js";
import { LANGUAGES, languageOf, textsOf } from "./texts.js";
import { ask, drawInto, h } from "./view.js";

/** @typedef {import("./types.js").Item} Item */
/** @typedef {import("./types.js").Person} Person */
/** @typedef {{ heading: string, content: (Node | string | null | false | undefined)[] }} Page */

/** How long the start waits for the service when a person's rounds are on the phone, and a sign-out before it forgets them, in milliseconds. */
const START_PATIENCE = 1000;

/** How long it waits when it has nothing to show, in milliseconds; and after how long it says that it does. */
const FIRST_PATIENCE = 10_000;
const LOADING_AFTER = 500;

/** Two presses this close to each other, in pixels and milliseconds, are one of a finger that bounces. */
const BOUNCE_DISTANCE = 24;
const BOUNCE_TIME = 300;

/** From here on a clock is wrong, in milliseconds: the service flags entries of the future. */
const WRONG_CLOCK = 120_000;

/** How often an open page fetches the rounds, in milliseconds. */
const FETCH_EVERY = 300_000;

/** The state of pages for which the service has said who is signed in. */
const CONFIRMED = { isConfirmed: true };

/** The pages after which another person may use the phone. */
const SIGN_IN_PAGE = "/sign-in";
const INVITATION = "/invitation/";

/** Where a person signs in, to come back. */
const SIGN_IN = `${SIGN_IN_PAGE}?next=`;

/** What is drawn; dialogs stand beside it. */
const root = document.body.appendChild(h("div", { class: "app" }));
const store = await Store.open();
const api = new Api();
const sync = new Sync(store, api, {
  now: Date.now,
  random: Math.random,
  alone: (work) => (navigator.locks ? navigator.locks.request("patrol-guard", work) : work()),
});

/** What happened: a fault or a success. @type {{ kind: "alert" | "notice", text: string } | null} */ let message = null;
/** The person whose page was drawn last. @type {string | null} */ let drawnFor = null;
/** Whether it is known who uses the phone. */
let isKnown = false;
/** @type {Promise<void> | null} */ let drawing = null;
let mustDrawAgain = false;
let wasMoved = false;
/** The heading that a drawing has yet to move to. @type {string | null} */ let target = null;

/** Finds out whose session the browser has, and forgets what was fetched for another person. */
async function confirm() {
  // The address that led here stays the same when the page is loaded again.
  const isFromSignIn = [SIGN_IN_PAGE, INVITATION].some((page) => document.referrer.startsWith(location.origin + page)) && !history.state?.isConfirmed;
  // Without room for it, this page knows it all the same.
  if (isFromSignIn) await store.keep("mustConfirm", true).catch(() => {});
  const leaving = await store.kept("leaving");
  if (leaving !== null) {
    if (!await api.signOut(leaving)) return;
    await store.keep("leaving", null);
  }
  /** @type {Person | null} */
  const known = await store.kept("person");
  // Another person may have signed in, which only the service knows.
  const mustConfirm = isFromSignIn || await store.kept("mustConfirm");
  await take(known, await api.session(known && !mustConfirm ? START_PATIENCE : FIRST_PATIENCE));
  isKnown ||= known !== null && !mustConfirm;
}

/**
 * Keeps who is signed in, if the service has said it.
 * @param {Person | null} known The person who was kept when it was asked.
 * @param {import("./types.js").Answer} answer
 */
async function take(known, { status, body }) {
  if (status === 401) {
    if (known) await store.forget(known.userId, null);
    isKnown = true;
  } else if (status === 200 && typeof body?.userId === "string") {
    const { userId, name, role, language, csrf } = body;
    await store.signIn({ userId, name, role, language, csrf }, known?.userId ?? null);
    isKnown = true;
    history.replaceState({ ...history.state, ...CONFIRMED }, "");
  }
}

/**
 * @param {"alert" | "notice"} kind
 * @param {string | null} text Null: there is nothing to say any more.
 */
function say(kind, text) {
  if (text === null && message === null) return;
  message = text === null ? null : { kind, text };
  redraw();
}

/**
 * Says this no longer, if it is still said.
 * @param {string} text
 */
function takeBack(text) {
  if (message?.text === text) say("alert", null);
}

/**
 * @param {string} path
 * @param {"pushState" | "replaceState"} [how]
 */
function go(path, how = "pushState") {
  history[how](CONFIRMED, "", path);
  // What was said about the page that is replaced still holds, and where to move.
  return how === "pushState" ? moved() : moved(message, target);
}

/**
 * Shows the page of a new address.
 * @param {typeof message} said
 * @param {typeof target} heading
 */
function moved(said = null, heading = null) {
  message = said;
  target = heading;
  wasMoved = true;
  return redraw();
}

/**
 * Moves to the heading with this id in the drawing that shows what is new below it. Later the focus would be taken
 * from a field in which a person types already.
 * @param {string} id
 */
function moveTo(id) {
  target = id;
  return redraw();
}

/** Draws what is kept now. While it draws, further calls make it draw once more, and wait for that. */
function redraw() {
  mustDrawAgain = true;
  drawing ??= drawAll();
  return drawing;
}

async function drawAll() {
  try {
    while (mustDrawAgain) {
      mustDrawAgain = false;
      await draw();
    }
  } finally {
    drawing = null;
  }
}

function closeDialogs() {
  for (const dialog of document.querySelectorAll("dialog")) dialog.close();
}

async function draw() {
  /** @type {[Person | null, Item[], string | null]} */
  const [kept, queue, chosen] = await Promise.all([store.kept("person"), store.queue(), store.kept("language")]);
  const person = isKnown ? kept : null;
  if (drawnFor !== (person?.userId ?? null)) {
    forgetPerson();
    message = null;
    target = null;
    // Another tab has signed out: what was typed there is not for the next person.
    closeDialogs();
    drawnFor = person?.userId ?? null;
  }
  const language = languageOf(chosen, person?.language, ...navigator.languages);
  const t = textsOf(language);
  /** @type {Page | null} */
  const page = person ? await pageOf(new Context(store, sync, api, person, queue, { say, takeBack, go, moveTo, redraw, t, language })) : signedOut(t);
  if (!page) return;
  document.documentElement.lang = language;
  document.title = `${page.heading} · Patrol`;
  // The rest is drawn once the browser has painted this part.
  const isWhole = drawInto(root, frame(t, language, person, queue, page));
  if (!isWhole) setTimeout(redraw);
  if (wasMoved) {
    wasMoved = false;
    document.querySelector(".page")?.scrollTo(0, 0);
    document.querySelector("h1")?.focus({ preventScroll: true });
  }
  const heading = isWhole && target !== null && document.getElementById(target);
  if (heading) {
    target = null;
    heading.focus({ preventScroll: true });
    const item = heading.closest("li");
    if (item) item.scrollIntoView({ block: "start" });
    else heading.scrollIntoView({ block: "nearest" });
  }
}

/** @param {Context} context */
function pageOf(context) {
  const [, page, id] = /^\/guard(?:\/(rounds|scan)(?:\/([^/]+))?)?\/?$/.exec(location.pathname) ?? [];
  if (page !== "rounds") sync.shown = null;
  if (page === "rounds" && id) return roundPage(context, id);
  return page === "scan" ? scanPage(context) : roundsPage(context);
}

/** @param {import("./texts.js").Texts} t */
function signedOut(t) {
  const next = location.pathname === "/guard/scan" ? encodeURIComponent(location.pathname + location.hash) : "/guard";
  return { heading: t.myRounds, content: [h("p", { key: "about" }, t.signedOut), !navigator.onLine && h("p", { key: "offline", class: "alert" }, t.signInOffline), h("p", { key: "in" }, h("a", { class: "main", href: SIGN_IN + next }, t.signIn))] };
}

/**
 * @param {import("./texts.js").Texts} t
 * @param {"en" | "ru"} language
 * @param {Person | null} person
 * @param {Item[]} queue
 * @param {Page} page
 */
function frame(t, language, person, queue, page) {
  const { own, waiting, others } = statusOf(queue, person?.userId ?? null, sync.state);
  const texts = { sent: t.allSent, sending: t.sending, waiting: t.waiting(waiting), offline: t.offlineWaiting(waiting) };
  const status = [own === "sent" && others.length > 0 ? null : texts[own], ...others.map(({ name, count }) => t.othersWait(count, name))];
  const look = own === "sent" && others.length > 0 ? "waiting" : own;
  const mustSignIn = waiting > 0 && (!person || sync.state.mustSignIn);
  return [
    h("a", { key: "skip", class: "skip", href: "#content" }, t.skip),
    h("header", { key: "header" },
      h("div", { key: "bar", class: "bar" }, h("a", { class: "brand", href: "/guard" }, "Patrol"),
        h("p", { role: "status", class: `sending ${look}` }, status.filter(Boolean).join(". "))),
      // In sight wherever the page is scrolled to.
      message && h("p", { key: message.kind, class: message.kind, role: message.kind === "alert" ? "alert" : null, "aria-live": "polite" }, message.text),
      Math.abs(api.ahead) > WRONG_CLOCK && h("p", { key: "clock", class: "alert", role: "alert" }, t.wrongClock(Math.round(api.ahead / 60_000))),
      mustSignIn && h("p", { key: "sign-in", class: "alert", role: "alert" }, h("a", { href: `${SIGN_IN}/guard` }, t.signInToSend(waiting))),
      person && sync.state.mustSignIn && waiting === 0 && h("p", { key: "over", class: "alert", role: "alert" }, t.sessionOver, " ", h("a", { href: `${SIGN_IN}/guard` }, t.signIn))),
    h("div", { key: "page", class: "page" }, h("main", { key: "content", id: "content" },
      h("h1", { key: "heading", tabindex: "-1" }, page.heading),
      page.content), h("footer", { key: "footer" }, h("div", { class: "bar" },
      h("div", { class: "row", role: "group", "aria-label": t.language }, Object.entries(LANGUAGES).map(([code, name]) => h("button", {
        type: "button", class: "plain", lang: code, "aria-current": code === language ? "true" : null, onclick: () => store.keep("language", code),
      }, name))),
      person && h("div", { key: "person", class: "row" }, h("span", { class: "quiet" }, person.name),
        h("button", { type: "button", class: "plain", onclick: () => signOut(t, person) }, t.signOut))))),
  ];
}

/**
 * @param {import("./texts.js").Texts} t
 * @param {Person} person
 */
async function signOut(t, person) {
  // The press that leaves a field may be this one.
  await allRecorded();
  const waiting = waitingOf(await store.queue(), person.userId).length;
  const isSure = waiting === 0 || await ask(t.leaveQuestion, (close) => [
    h("p", {}, t.leaveAbout(waiting)),
    h("div", { class: "row" },
      h("button", { type: "button", class: "main", onclick: () => close(null) }, t.cancel),
      h("button", { type: "button", class: "plain confirm", onclick: () => close(true) }, t.signOut)),
  ]);
  if (!isSure) return;
  sync.stop();
  // The person may have signed out and in again in another tab, and has another session then.
  const { status, body } = await api.session(START_PATIENCE);
  const csrf = status === 200 && body.userId === person.userId ? body.csrf : person.csrf;
  await store.forget(person.userId, csrf);
  if (await api.signOut(csrf)) await store.keep("leaving", null);
  // Before anything else, the session is ended when there is a network.
  else isKnown = false;
  go("/guard");
}

/** Sends and fetches; when the session is another one, shows whose it is. */
async function refresh() {
  if (!isKnown) await confirm();
  await sync.run({ fetch: true });
}

/** @param {MouseEvent} event */
function followLink(event) {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (!link || !isPlain || !/^\/guard(\/|$)/.test(link.pathname) || link.origin !== location.origin || link.hash !== "") return;
  event.preventDefault();
  go(link.pathname);
}

/** The last press: where, when, and on what. @type {{ x: number, y: number, at: number, on: Element | null }} */
let pressed = { x: 0, y: 0, at: 0, on: null };

/**
 * Stops the second press of a finger that bounces, when the first has put something else under it.
 * @param {MouseEvent} event
 */
function stopBounce(event) {
  const on = event.target instanceof Element ? event.target.closest("button, a, label, summary") : null;
  const { clientX: x, clientY: y, timeStamp: at } = event;
  const isNear = Math.hypot(x - pressed.x, y - pressed.y) < BOUNCE_DISTANCE && at - pressed.at < BOUNCE_TIME;
  const isTouch = event instanceof PointerEvent && event.pointerType === "touch";
  if (on !== pressed.on && (event.detail > 1 || (isTouch && isNear))) {
    event.preventDefault();
    event.stopImmediatePropagation();
  } else {
    pressed = { x, y, at, on };
  }
}

/** Records what is typed before the page is put away: a phone may end it without a word. */
function leaveField() {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}

/** Leaves what waits to the browser: the page may not come back. */
async function leavePage() {
  leaveField();
  if (drawnFor !== null && waitingOf(await store.queue(), drawnFor).length > 0) await registerSync();
}

async function start() {
  // Nothing else is drawn before it is known who uses the phone: the page would say that nobody is signed in.
  const language = languageOf(await store.kept("language"), ...navigator.languages);
  const loading = setTimeout(() => {
    document.documentElement.lang = language;
    drawInto(root, [h("main", { key: "loading" }, h("h1", {}, textsOf(language).loading))]);
  }, LOADING_AFTER);
  await confirm().catch(console.error);
  clearTimeout(loading);
  document.addEventListener("click", stopBounce, { capture: true });
  document.addEventListener("click", followLink);
  addEventListener("pagehide", leaveField);
  addEventListener("popstate", () => {
    // They belong to the page that is left.
    closeDialogs();
    moved();
  });
  addEventListener("hashchange", () => location.pathname === "/guard/scan" && moved());
  addEventListener("online", refresh);
  addEventListener("offline", () => sync.run());
  // Signed out, nothing is sent, and the page says whether one can sign in.
  for (const change of ["online", "offline"]) addEventListener(change, () => redraw());
  addEventListener("pageshow", ({ persisted }) => persisted && refresh());
  document.addEventListener("visibilitychange", () => (document.visibilityState === "visible" ? refresh() : leavePage()));
  setInterval(() => document.visibilityState === "visible" && refresh(), FETCH_EVERY);
  store.addEventListener("change", redraw);
  let mustSignIn = false;
  sync.addEventListener("change", async () => {
    // Another person may have signed in since. A session that is over leaves the page as it is.
    if (sync.state.mustSignIn && !mustSignIn) {
      /** @type {Person | null} */
      const known = await store.kept("person");
      const answer = await api.session();
      if (answer.status === 200 && known && (answer.body.userId !== known.userId || answer.body.csrf !== known.csrf)) {
        await take(known, answer);
        await sync.run({ fetch: true });
      }
    }
    mustSignIn = sync.state.mustSignIn;
    await redraw();
    if (sync.state.isOffline) registerSync();
  });
  await redraw();
  // The files that are kept for later wait for the rounds, which the person waits for.
  await refresh().finally(register);
}

/** Registers the worker, and lets one that waits take over. */
async function register() {
  const registration = await navigator.serviceWorker?.register("/guard/worker.js", { scope: "/guard", type: "module", updateViaCache: "none" });
  registration?.waiting?.postMessage("take over");
}

/** Asks the browser to send what waits when the network is back, also when the page is closed by then. */
async function registerSync() {
  const registration = await navigator.serviceWorker?.getRegistration("/guard");
  await /** @type {any} */ (registration)?.sync?.register("send").catch(() => {});
}

await start();
