// page: reads a model from the page's server or from the visitor's file
// MIT license; Copyright (c) 2026 the tflm authors

import { load } from './loading.js';

const MEGABYTE = 1 << 20;
const MAX_FILE_BYTES = 8 * MEGABYTE;

/** @typedef {import('./messages.js').Given} Given */

/** Return one of the page's models. @param {string} name @returns {Promise<Given>} */
export async function fetched(name) {
  const answer = await load(`models/${name}`);
  return { name, data: new Uint8Array(await answer.arrayBuffer()) };
}

/** Return a model from the visitor's file. @param {File} file @returns {Promise<Given>} */
export async function opened(file) {
  if (file.size > MAX_FILE_BYTES) {
    const size = (file.size / MEGABYTE).toFixed(1);
    throw new Error(`${file.name} has ${size} MB, the limit is ${MAX_FILE_BYTES / MEGABYTE} MB; choose a smaller model`);
  }
  return { name: file.name, data: new Uint8Array(await file.arrayBuffer()) };
}
