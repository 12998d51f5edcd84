// The service worker: starts the page without a network, and sends what waits when the network is back.
// The service fills in the version, which is the digest of all files, and their names.

import { Api } from "/guard/files/VERSION/api.js";
import { Store } from "/guard/files/VERSION/store.js";
import { Sync } from "/guard/files/VERSION/sync.js";

const CACHE = "patrol-guard VERSION";
const SHELL = "/guard";
const FILES = ["FILES"];

addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll([SHELL, ...FILES])));
});

addEventListener("activate", (event) => {
  const former = async () => {
    for (const name of await caches.keys()) {
      if (name.startsWith("patrol-guard ") && name !== CACHE) await caches.delete(name);
    }
  };
  event.waitUntil(former());
});

// A page that starts asks a version that waits to take over.
addEventListener("message", ({ data }) => {
  if (data === "take over") skipWaiting();
});

addEventListener("fetch", (event) => {
  const { pathname } = new URL(event.request.url);
  const isPage = event.request.mode === "navigate" && (pathname === SHELL || pathname.startsWith(`${SHELL}/`));
  const kept = isPage ? SHELL : FILES.includes(pathname) ? pathname : null;
  if (kept === null) return;
  const answer = async () => (await (await caches.open(CACHE)).match(kept)) ?? fetch(event.request);
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
