export { fill } from './fill.ts';

/** The element that the page was served with; a missing one is a fault of ours and says so. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no #${id}.`);
  return found as T;
}

type Attributes = Readonly<Record<string, string | boolean>>;

/** Makes an element. Text is always text: the page's policy forbids to parse HTML from strings, and so do we. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false) continue;
    made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children);
  return made;
}

/** Says it to those who listen instead of looking, without moving their focus. */
export function announce(text: string): void {
  const live = byId('live');
  if (live.textContent !== text) live.textContent = text;
}
