// page: where a model comes from: the page's own folder, or the visitor
// MIT license; Copyright (c) 2026 the tflm authors

const MOST_BYTES = 8 << 20; // of a file

/** @typedef {import('./messages.js').Given} Given */

/** A model that the page brings. @param {string} name @returns {Promise<Given>} */
export async function fetched(name) {
  const answer = await fetch(`models/${name}`);
  if (!answer.ok) throw new Error(`${name} did not come (${answer.status}); load the page again`);
  return { name, data: new Uint8Array(await answer.arrayBuffer()) };
}

/** A visitor's own. @param {File} file @returns {Promise<Given>} */
export async function opened(file) {
  if (file.size > MOST_BYTES) {
    throw new Error(`${file.name} has ${file.size} bytes, ${MOST_BYTES} may be; no board here would hold it`);
  }
  return { name: file.name, data: new Uint8Array(await file.arrayBuffer()) };
}
