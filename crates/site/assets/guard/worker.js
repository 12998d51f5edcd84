// The service worker: starts the page without a network, and sends what waits when the network is back.
// The service fills in the version, which is the digest of all files, and their names.

import { Api } from "/guard/files/VERSION/api.js";
import { HOLD } from "/guard/files/VERSION/rules/queue.js";
import { Store } from "/guard/files/VERSION/store.js";
import { Sync } from "/guard/files/VERSION/sync.js";

const CACHES = "patrol-guard ";
const CACHE = `${CACHES}VERSION`;
const SHELL = "/guard";
const FOLDER = `${SHELL}/files/`;
const FILES = ["FILES"];

/** Addresses below the shell's that are no pages. */
const NO_PAGES = /\.(js|png|webmanifest)$|\/session$/;

/** The names of what is kept of each version, in order of their age. */
const versions = async () => (await caches.keys()).filter((name) => name.startsWith(CACHES));

/**
 * A file of this version. A network that asks its visitors to sign in answers with a page of its own, and
 * the program may be another one by now.
 */
async function own(path) {
  const answer = await fetch(path, { redirect: "error" });
  const type = answer.headers.get("Content-Type") ?? "";
  const isOwn = path === SHELL ? (await answer.clone().text()).includes(`${FOLDER}VERSION/app.js`) : /^text\/(javascript|css)\b/.test(type);
  if (!answer.ok || !isOwn) throw new Error(`${path} is not of this version`);
  return answer;
}

addEventListener("install", (event) => {
  const keep = async () => {
    const answers = await Promise.all(FILES.map(async (path) => ({ path, answer: await own(path) })));
    const shell = await own(SHELL);
    // A version that comes back after another one is the newest again.
    await caches.delete(CACHE);
    const cache = await caches.open(CACHE);
    await Promise.all(answers.map(({ path, answer }) => cache.put(path, answer)));
    // Last: a page that has it has all.
    await cache.put(SHELL, shell);
  };
  event.waitUntil(keep());
});

addEventListener("activate", (event) => {
  const forget = async () => {
    const names = await versions();
    for (const name of names.slice(0, names.indexOf(CACHE))) await caches.delete(name);
  };
  event.waitUntil(forget());
});

// A page that has started asks the version that waits to take over.
addEventListener("message", ({ data }) => {
  if (data === "take over") skipWaiting();
});

// A page starts with the newest version that is complete, also while the worker of that version waits.
addEventListener("fetch", (event) => {
  const { pathname } = new URL(event.request.url);
  const isPage = event.request.mode === "navigate" && (pathname === SHELL || pathname.startsWith(`${SHELL}/`)) && !NO_PAGES.test(pathname);
  const kept = isPage ? SHELL : pathname.startsWith(FOLDER) ? pathname : null;
  if (kept === null) return;
  const answer = async () => {
    for (const name of (await versions()).reverse()) {
      const found = await caches.match(kept, { cacheName: name });
      if (found) return found;
    }
    return fetch(event.request);
  };
  event.respondWith(answer());
});

addEventListener("sync", (event) => {
  const send = async () => {
    const sync = new Sync(await Store.open(), new Api(), {
      now: Date.now, random: Math.random, alone: (work) => navigator.locks.request("patrol-guard", work),
    });
    await sync.run();
    if (!sync.hasFailed) {
      // What waits for its position.
      await new Promise((resolve) => setTimeout(resolve, HOLD));
      await sync.run();
    }
    sync.stop();
    // The browser tries again later.
    if (sync.hasFailed) throw new Error("not all is sent");
  };
  event.waitUntil(send());
});
