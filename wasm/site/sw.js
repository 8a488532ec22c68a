// Keeps all files of the site, so that it works without a network.
//
// The answers also isolate the page (`crossOriginIsolated`), so that its workers can share memory, on any
// file server. files.js, which `make site` writes, sets FILES and VERSION.

importScripts("files.js");

const CACHE = `saavedra-${VERSION}`;
const ISOLATION = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

addEventListener("install", (event) => {
  const requests = FILES.map((file) => new Request(file, { cache: "reload" }));
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(requests)).then(() => skipWaiting()));
});

addEventListener("activate", (event) => {
  const isOld = (name) => name.startsWith("saavedra-") && name !== CACHE;
  const clean = async () => {
    const names = await caches.keys();
    await Promise.all(names.filter(isOld).map((name) => caches.delete(name)));
    await clients.claim();
  };
  event.waitUntil(clean());
});

/** The file from the cache, else from the network; a cache that the browser cannot open is no fault. */
async function answer(request) {
  const kept = await caches.open(CACHE)
    .then((cache) => cache.match(request, { ignoreSearch: true }))
    .catch(() => undefined);
  const response = kept ?? await fetch(request);
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(ISOLATION)) headers.set(name, value);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}

addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  if (method === "GET" && new URL(url).origin === location.origin) event.respondWith(answer(event.request));
});
