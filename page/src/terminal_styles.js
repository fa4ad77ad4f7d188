// page: a terminal under a policy without inline styles: what xterm.js writes of them, by CSSOM
// MIT license; Copyright (c) 2026 the tflm authors

/** What stands where a <style> would: its text goes to a style sheet of the document. */
function standIn() {
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets.push(sheet);
  const element = document.createElement('template');
  Object.defineProperty(element, 'textContent', { set: (/** @type {string} */ css) => sheet.replaceSync(css) });
  return element;
}

// 38 and 48 are colours of text and paper, 2 behind them says that there are three bytes of each.
/** @param {(number | number[])[]} parameters of an escape sequence that ends with m */
const hasBytes = (parameters) => parameters.some((each, i) => {
  const next = parameters[i + 1];
  return (each === 38 || each === 48) && (Array.isArray(next) ? next[0] : next) === 2;
});

/**
 * terminal.open(place). xterm.js makes all its <style> elements there, and has no other way to be
 * told of a policy. Colours of three bytes would be style attributes; they are left out.
 * @param {import('@xterm/xterm').Terminal} terminal @param {HTMLElement} place
 */
export function open(terminal, place) {
  const create = document.createElement.bind(document);
  document.createElement = (/** @type {string} */ name, /** @type {any} */ options) => (
    name === 'style' ? standIn() : create(name, options)
  );
  try {
    terminal.open(place);
  } finally {
    Reflect.deleteProperty(document, 'createElement'); // the prototype's again
  }
  terminal.parser.registerCsiHandler({ final: 'm' }, hasBytes);
}
