// page: finds elements of index.html by id and type, makes buttons, and saves files
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

/** Return a button with a text. @param {string} text @param {() => void} pressed */
export function button(text, pressed) {
  const created = document.createElement('button');
  created.type = 'button';
  created.textContent = text;
  created.addEventListener('click', pressed);
  return created;
}

/** Save bytes as a file on the visitor's computer. @param {Uint8Array<ArrayBuffer>} data @param {string} name */
export function save(data, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([data]));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
