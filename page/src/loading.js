// page: loads files from the page's server; errors say whether the visitor is offline
// MIT license; Copyright (c) 2026 the tflm authors

/** A file of the page could not be loaded. The page tries again when the visitor is online again. */
export class MissingError extends Error {
  /** @param {string} what the file, as the subject of a sentence */
  constructor(what) {
    super(navigator.onLine
      ? `${what} could not be loaded; check the connection and try again`
      : `you are offline, and the browser has no copy of ${what}; connect to the network and try again`);
  }
}

/** Return the answer to a request for a file of the page. @param {string} name @returns {Promise<Response>} */
export async function load(name) {
  const answer = await fetch(name).catch(() => null);
  if (!answer?.ok) throw new MissingError(name.replace(/.*\//, ''));
  return answer;
}
