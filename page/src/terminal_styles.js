// page: opens xterm.js under a policy that forbids inline styles
// MIT license; Copyright (c) 2026 the tflm authors

/** Return a replacement for a <style> element: its text goes to a style sheet of the document. */
function standIn() {
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets.push(sheet);
  const element = document.createElement('template');
  Object.defineProperty(element, 'textContent', { set: (/** @type {string} */ css) => sheet.replaceSync(css) });
  return element;
}

// 38 and 48 set the colours of text and background; a 2 after them announces three bytes.
/** @param {(number | number[])[]} parameters parameters of an escape sequence that ends with m */
const hasBytes = (parameters) => parameters.some((each, i) => {
  const next = parameters[i + 1];
  return (each === 38 || each === 48) && (Array.isArray(next) ? next[0] : next) === 2;
});

/**
 * Call terminal.open(container). xterm.js creates its <style> elements in that call and has no option
 * for such a policy. It would set three-byte colours by style attributes, so these are ignored.
 * @param {import('@xterm/xterm').Terminal} terminal @param {HTMLElement} container
 */
export function open(terminal, container) {
  const create = document.createElement.bind(document);
  document.createElement = (/** @type {string} */ name, /** @type {any} */ options) => (
    name === 'style' ? standIn() : create(name, options)
  );
  try {
    terminal.open(container);
  } finally {
    Reflect.deleteProperty(document, 'createElement'); // makes the prototype's method visible again
  }
  terminal.parser.registerCsiHandler({ final: 'm' }, hasBytes);
}
