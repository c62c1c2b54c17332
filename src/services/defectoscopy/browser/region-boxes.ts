import { highlightBox } from '../../../ui/browser/boxes.ts';
import { byId, el, fill } from '../../../ui/browser/dom.ts';
import type { Region } from '../result.ts';
import type { Formatters } from './formatters.ts';

const SVG = 'http://www.w3.org/2000/svg';

/** Draws the regions over the photo. The list entry of a box is highlighted while the pointer is over it. */
export function drawRegions(regions: readonly Region[]): void {
  byId('boxes').replaceChildren(
    ...regions.map(({ box: [x0, y0, x1, y1] }, at) => {
      const rect = document.createElementNS(SVG, 'rect');
      const attributes = { class: 'box', 'data-key': at, x: x0, y: y0, width: x1 - x0, height: y1 - y0 };
      for (const [name, value] of Object.entries(attributes)) rect.setAttribute(name, String(value));
      rect.addEventListener('pointerenter', () => highlight(at));
      rect.addEventListener('pointerleave', () => highlight(undefined));
      return rect;
    }),
  );
}

/** The list of regions; nothing for a photo that was analysed in overview only. */
export function regionList(
  { regions }: { readonly regions?: readonly Region[] },
  { texts, numbers, title }: Formatters,
  onChoose: (region: Region) => void,
): HTMLElement[] {
  if (regions === undefined) return [];
  const entries = regions.map((region, at) => {
    const label = fill(texts.found, { defect: title(region.defect), share: numbers.wholeShare(region.confidence) });
    const button = el('button', { type: 'button', class: 'link', 'data-region': String(at) }, label);
    for (const event of ['pointerenter', 'focus']) button.addEventListener(event, () => highlight(at));
    for (const event of ['pointerleave', 'blur']) button.addEventListener(event, () => highlight(undefined));
    button.addEventListener('click', () => onChoose(region));
    return el('li', {}, button);
  });
  const list = entries.length === 0 ? el('p', { class: 'empty' }, texts.noRegions) : el('ol', {}, ...entries);
  return [el('section', { class: 'bars regions' }, el('h3', {}, texts.regions), list)];
}

function highlight(at: number | undefined): void {
  highlightBox(String(at));
  for (const entry of document.querySelectorAll<HTMLElement>('[data-region]')) {
    entry.classList.toggle('highlighted', entry.dataset['region'] === String(at));
  }
}
