// page: splits the output of a program on the board into lines of JSON
// MIT license; Copyright (c) 2026 the tflm authors

/** Return a function for the pieces of an output; it gives the value of each complete line to `take`. @param {(value: any) => void} take */
export function jsonLines(take) {
  let rest = '';
  return (/** @type {string} */ text) => {
    const lines = (rest + text).split('\r\n');
    rest = /** @type {string} */ (lines.pop());
    for (const line of lines) take(JSON.parse(line));
  };
}
