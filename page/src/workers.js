// page: starts workers that may contact only the page's own server, like the page itself
// MIT license; Copyright (c) 2026 the tflm authors

/**
 * Start a worker from a file beside the page. A worker from a file has only the policy that the server
 * sends. A worker from a blob has the page's policy, also for the file that it imports.
 * @param {string} name
 */
export function worker(name) {
  const file = new URL(name, document.baseURI).href;
  const blob = new Blob([`import ${JSON.stringify(file)};`], { type: 'text/javascript' });
  return new Worker(URL.createObjectURL(blob), { type: 'module' });
}
