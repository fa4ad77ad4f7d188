// page: workers that may ask nobody but the page's own server, as the page itself
// MIT license; Copyright (c) 2026 the tflm authors

/**
 * A worker made of a file beside the page. One of a file has no policy but what the server says;
 * one of a blob has the page's, and the file it imports with it.
 * @param {string} name
 */
export function worker(name) {
  const file = new URL(name, document.baseURI).href;
  const blob = new Blob([`import ${JSON.stringify(file)};`], { type: 'text/javascript' });
  return new Worker(URL.createObjectURL(blob), { type: 'module' });
}
