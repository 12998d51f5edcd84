// Keeps a part of a page live. `data-live` is the address of a stream of changes (Server-Sent Events). When
// something has changed, the page is asked for again with the header `Patrol-Part`, and what differs is
// changed in place. Rows with a `data-key` stay what they are; on a page with `data-live-new`, new ones that
// would push what is read are announced, and shown when the reader asks for them. Every page works without
// this file.
"use strict";

/** A stream without a message for so long is lost. The service sends one every 4 s. */
const SILENCE = 15_000;
/** A connection that comes back within this time is not reported. */
const GRACE = 3_000;
/** The pause between two attempts to connect. */
const RETRY = 3_000;
/** The least time between two refreshes. */
const LEAST = 1_000;
/** A page is refreshed at least this often: rounds become late by the clock. */
const EVERY = 30_000;

/** @param {HTMLElement} region */
function keepLive(region) {
  const lost = region.querySelector("[data-live-lost]");
  /** @type {EventSource | null} */
  let source = null;
  let connectedAt = 0;
  let isConnected = false;
  /** When the page was last known to be up to date. */
  let liveAt = Date.now();
  let heardAt = Date.now();
  let refreshedAt = Date.now();
  let isRefreshing = false;
  let isDue = false;

  function connect() {
    source?.close();
    isConnected = false;
    connectedAt = Date.now();
    source = new EventSource(region.dataset.live);
    source.addEventListener("beat", heard);
    source.addEventListener("change", () => {
      heard();
      refreshSoon();
    });
    // The session has ended: the page leads to the sign-in.
    source.addEventListener("end", () => location.reload());
    source.addEventListener("error", () => { isConnected = false; });
  }

  function heard() {
    heardAt = Date.now();
    if (!isConnected) {
      isConnected = true;
      // What has changed while there was no connection.
      refreshSoon();
    }
  }

  function refreshSoon() {
    isDue = true;
    setTimeout(refresh, Math.max(0, refreshedAt + LEAST - Date.now()));
  }

  async function refresh() {
    if (!isDue || isRefreshing || Date.now() < refreshedAt + LEAST) return;
    isRefreshing = true;
    isDue = false;
    refreshedAt = Date.now();
    try {
      const answer = await fetch(location.href, { headers: { "Patrol-Part": "live" }, signal: AbortSignal.timeout(SILENCE) });
      // The record was deleted.
      if (answer.status === 404) location.reload();
      if (!answer.ok || answer.redirected) throw new Error(`answer ${answer.status}`);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.querySelector("[data-live]");
      if (!fresh) throw new Error("no live part");
      // The day is over: the rest of the page shows the old one.
      if (fresh.dataset.livePage !== region.dataset.livePage) location.reload();
      patch(region, fresh);
      if (page.title) document.title = page.title;
    } catch {
      isDue = true;
    }
    isRefreshing = false;
    if (isDue) setTimeout(refresh, LEAST);
    show();
  }

  /** Says whether the page is live. */
  function show() {
    const now = Date.now();
    if (isConnected && !isDue && now - heardAt < SILENCE) liveAt = heardAt;
    const isLost = now - heardAt >= SILENCE || now - liveAt >= SILENCE || (!isConnected && now - heardAt >= GRACE);
    if (!lost || isLost !== lost.hidden) return;
    lost.hidden = !isLost;
    const time = document.createElement("time");
    time.dateTime = new Date(liveAt).toISOString();
    time.textContent = new Intl.DateTimeFormat(document.documentElement.lang, {
      timeZone: region.dataset.zone, hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23",
    }).format(liveAt);
    const [before, after] = lost.dataset.text.split("{}");
    lost.replaceChildren(...(isLost ? [before, time, after] : []));
  }

  function watch() {
    if (document.hidden) return;
    const now = Date.now();
    const isSilent = now - heardAt >= SILENCE || source?.readyState === EventSource.CLOSED;
    if ((!source || isSilent) && now - connectedAt >= RETRY) connect();
    if (now - refreshedAt >= EVERY) refreshSoon();
    show();
  }

  // A browser has six connections to a service over HTTP/1.1: only pages in sight keep one.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      source?.close();
      source = null;
      isConnected = false;
    } else {
      heardAt = liveAt = Date.now();
      connect();
    }
  });
  // An open connection may seem alive for long after the network has gone.
  addEventListener("offline", () => {
    source?.close();
    isConnected = false;
  });
  if (!document.hidden) connect();
  setInterval(watch, 1_000);
}

/**
 * Makes an element of the page equal to a fresh one. Elements that stay keep their focus.
 * @param {HTMLElement} old
 * @param {HTMLElement} fresh
 */
function patch(old, fresh) {
  if (old.matches("[data-live-lost], [data-live-new], input, select, textarea")) return;
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && name !== "open") old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value && name !== "open") old.setAttribute(name, value);
  }
  if (old.querySelector(":scope > [data-key]") && fresh.querySelector(":scope > [data-key]")) {
    patchRows(old, fresh);
    return;
  }
  const [nodes, wanted] = [[...old.childNodes], [...fresh.childNodes]];
  for (const [at, node] of wanted.entries()) {
    const present = nodes[at];
    if (!present) old.append(node);
    else if (present.nodeName !== node.nodeName) present.replaceWith(node);
    else if (node.nodeType === Node.ELEMENT_NODE) patch(present, node);
    else if (present.nodeValue !== node.nodeValue) present.nodeValue = node.nodeValue;
  }
  for (const node of nodes.slice(wanted.length)) node.remove();
}

/** @param {Element} parent */
function rowsOf(parent) {
  return new Map([...parent.querySelectorAll(":scope > [data-key]")].map((row) => [row.dataset.key, row]));
}

/**
 * Changes rows where they are. Rows that come after all others are added; otherwise the reader decides when
 * rows move.
 */
function patchRows(old, fresh) {
  const [rows, wanted] = [rowsOf(old), rowsOf(fresh)];
  for (const [key, row] of rows) {
    const same = wanted.get(key);
    if (same) patch(row, same);
    row.classList.toggle("gone", !same);
  }
  const [present, next] = [[...rows.keys()], [...wanted.keys()]];
  const isPrefix = present.every((key, at) => key === next[at]);
  if (isPrefix) for (const key of next.slice(present.length)) old.append(wanted.get(key));
  const added = next.filter((key) => !rows.has(key)).length;
  announce(old, isPrefix ? null : added, () => moveRows(old, rows, wanted));
}

/** Says that rows would move, with a button that moves them. `added`: how many are new; null for nothing. */
function announce(list, added, move) {
  const place = list.closest("[data-live]")?.querySelector("[data-live-new]");
  if (!place) {
    if (added !== null) move();
    return;
  }
  const { one, many, other } = place.dataset;
  const text = added === null ? "" : [other, one][added] ?? many.replace("{}", String(added));
  const present = place.querySelector("button");
  if (!text) present?.remove();
  else if (present) present.textContent = text;
  else {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    place.append(button);
  }
  const button = place.querySelector("button");
  if (button) {
    button.onclick = () => {
      const region = list.closest("[tabindex]");
      button.remove();
      move();
      region?.focus({ preventScroll: true });
    };
  }
}

/** Puts the rows into their order. The first row in sight stays where it is. */
function moveRows(list, rows, wanted) {
  const seen = [...rows.values()].find((row) => wanted.has(row.dataset.key) && row.getBoundingClientRect().top >= 0);
  const top = seen?.getBoundingClientRect().top;
  const focused = document.activeElement;
  for (const [key, row] of rows) if (!wanted.has(key)) row.remove();
  let at = list.firstElementChild;
  for (const [key, row] of wanted) {
    const next = rows.get(key) ?? row;
    if (next === at) at = at.nextElementSibling;
    else list.insertBefore(next, at);
  }
  // An element that was moved has lost the focus.
  if (focused?.isConnected && focused !== document.activeElement) focused.focus({ preventScroll: true });
  if (seen) scrollBy(0, seen.getBoundingClientRect().top - top);
}

for (const region of document.querySelectorAll("[data-live]")) keepLive(region);
