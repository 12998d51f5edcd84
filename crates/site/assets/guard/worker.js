// The service worker: starts the page without a network, and sends what waits when the network is back.
// The service fills in the version, which is the digest of all files, and their names.

import { Api } from "/guard/files/VERSION/api.js";
import { Store } from "/guard/files/VERSION/store.js";
import { Sync } from "/guard/files/VERSION/sync.js";

const CACHES = "patrol-guard ";
const CACHE = `${CACHES}VERSION`;
const SHELL = "/guard";
const FOLDER = `${SHELL}/files/`;
const FILES = ["FILES"];

/** The names of what is kept of each version, in order of their age. */
const versions = async () => (await caches.keys()).filter((name) => name.startsWith(CACHES));

addEventListener("install", (event) => {
  const keep = async () => {
    // A version that comes back after another one is the newest again.
    await caches.delete(CACHE);
    await (await caches.open(CACHE)).addAll([SHELL, ...FILES]);
  };
  event.waitUntil(keep());
});

addEventListener("activate", (event) => {
  const former = async () => {
    for (const name of await versions()) if (name !== CACHE) await caches.delete(name);
  };
  event.waitUntil(former());
});

// A page that has started asks the version that waits to take over.
addEventListener("message", ({ data }) => {
  if (data === "take over") skipWaiting();
});

// A page starts with the newest version that is complete, also while the worker of that version waits.
addEventListener("fetch", (event) => {
  const { pathname } = new URL(event.request.url);
  const isPage = event.request.mode === "navigate" && (pathname === SHELL || pathname.startsWith(`${SHELL}/`));
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
    sync.stop();
    // The browser tries again later.
    if (sync.state.isOffline) throw new Error("offline");
  };
  event.waitUntil(send());
});
