/** Null if there is no such box. */
export function highlightBox(key: string): SVGRectElement | null {
  for (const other of document.querySelectorAll('.box.highlighted')) other.classList.remove('highlighted');
  const box = document.querySelector<SVGRectElement>(`.box[data-key="${CSS.escape(key)}"]`);
  if (box === null) return null;
  box.classList.add('highlighted');
  // The last element is drawn on top.
  box.parentElement!.append(box);
  return box;
}

/** Scrolls only `.pages`: a field with the focus must not move. */
export function scrollToBox(box: SVGRectElement): void {
  const pages = box.closest<HTMLElement>('.pages')!;
  if (pages.scrollHeight <= pages.clientHeight) return;
  const [at, frame] = [box.getBoundingClientRect(), pages.getBoundingClientRect()];
  if (at.top >= frame.top && at.bottom <= frame.bottom) return;
  const smooth = !matchMedia('(prefers-reduced-motion: reduce)').matches;
  pages.scrollBy({ top: at.top - frame.top - frame.height / 3, behavior: smooth ? 'smooth' : 'instant' });
}
