// HTML with the truth in attributes: data-f is the field of a value, data-g its group, data-l the field of a label.

export const escapeText = (text) =>
  String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

let groups = 0;

/** A new group: the spans of one printed value, or the cells of one row of the room table. */
export const newGroup = () => ++groups;

/** Marks `html` as a value of `field`. */
export const value = (field, html, group = newGroup()) => `<span data-f="${field}" data-g="${group}">${html}</span>`;

/** Marks `html` as the label of `field`. */
export const label = (field, html) => (field ? `<span data-l="${field}">${html}</span>` : `<span>${html}</span>`);

/** An element with a style. */
export const box = (style, html, tag = 'div') => `<${tag} style="${style}">${html}</${tag}>`;
