// page: the service worker, which keeps the last copy of each file for use without a network
// MIT license; Copyright (c) 2026 the tflm authors

const CACHE = 'tflm';
// Files that are loaded before the first answer. The tools are kept after their first use.
const FIRST = [
  './', 'about.json', 'bootrom.bin', 'emulator_worker.js', 'licences.txt', 'main.js',
  'microphone_worklet.js', 'pico.zlib',  'models/digits_int8.tflite', 'style.css', 'xterm.css',
];

/** @typedef {Event & { waitUntil(done: Promise<unknown>): void }} Lasting */
/** @typedef {Event & { request: Request, respondWith(answer: Promise<Response>): void }} Asked */
const scope = /** @type {any} */ (self); // a ServiceWorkerGlobalScope

/** Fetch a file; without a network, return the copy from last time. @param {Request} request */
async function answer(request) {
  const cache = await caches.open(CACHE);
  try {
    const found = await fetch(request);
    if (found.ok) await cache.put(request, found.clone());
    return found;
  } catch (error) {
    const kept = await cache.match(request);
    if (kept) return kept;
    throw error;
  }
}

scope.addEventListener('install', (/** @type {Lasting} */ event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FIRST)));
});
scope.addEventListener('activate', (/** @type {Lasting} */ event) => event.waitUntil(scope.clients.claim()));
scope.addEventListener('fetch', (/** @type {Asked} */ event) => {
  const { request } = event;
  if (request.method === 'GET' && request.url.startsWith(scope.registration.scope)) event.respondWith(answer(request));
});
