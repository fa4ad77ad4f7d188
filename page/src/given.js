// page: reads a model from the page's server or from the visitor's file
// MIT license; Copyright (c) 2026 the tflm authors

const MAX_FILE_BYTES = 8 << 20;

/** @typedef {import('./messages.js').Given} Given */

/** Return one of the page's models. @param {string} name @returns {Promise<Given>} */
export async function fetched(name) {
  const answer = await fetch(`models/${name}`);
  if (!answer.ok) throw new Error(`${name} could not be loaded (${answer.status}); load the page again`);
  return { name, data: new Uint8Array(await answer.arrayBuffer()) };
}

/** Return a model from the visitor's file. @param {File} file @returns {Promise<Given>} */
export async function opened(file) {
  if (file.size > MAX_FILE_BYTES) {
    throw new Error(`${file.name} has ${file.size} bytes, at most ${MAX_FILE_BYTES} are possible; choose a smaller model`);
  }
  return { name: file.name, data: new Uint8Array(await file.arrayBuffer()) };
}
