// page: the elements of index.html by their ids, each of the kind that is asked for
// MIT license; Copyright (c) 2026 the tflm authors

/**
 * @template {HTMLElement | SVGElement} [Kind=HTMLElement]
 * @param {string} id
 * @param {new () => Kind} [kind]
 * @returns {Kind}
 */
export function element(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof (kind ?? HTMLElement))) throw new Error(`index.html lacks ${id}`);
  return /** @type {Kind} */ (found);
}

/** A button with a text. @param {string} text @param {() => void} pressed */
export function button(text, pressed) {
  const made = document.createElement('button');
  made.type = 'button';
  made.textContent = text;
  made.addEventListener('click', pressed);
  return made;
}

/** Save bytes as a file of the visitor's. @param {Uint8Array<ArrayBuffer>} data @param {string} name */
export function save(data, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([data]));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
