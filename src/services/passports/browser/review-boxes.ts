/**
 * Ties values to their places: the box of the field in focus lights up and comes into sight, and a click on a box goes to
 * its field. Pictures of later pages are fetched when somebody comes near them.
 */
export function linkBoxes(): void {
  const form = document.getElementById('fields')!;
  form.addEventListener('focusin', ({ target }) => {
    const box = light(target as Element);
    if (box !== null) bringIntoSight(box);
  });
  document.querySelector('.pages')!.addEventListener('click', ({ target }) => {
    const { key } = (target as SVGElement).dataset;
    if (key !== undefined) document.getElementById(key)?.focus();
  });
  fetchWhenNear();
}

/** Lights the box of this field, and no other. */
export function light(field: Element | null): SVGRectElement | null {
  for (const lit of document.querySelectorAll('.box.lit')) lit.classList.remove('lit');
  const name = field?.getAttribute('name') ?? '';
  const box = document.querySelector<SVGRectElement>(`.box[data-key="${CSS.escape(name)}"]`);
  if (box === null) return null;
  box.classList.add('lit');
  // The last one drawn lies on top.
  box.parentElement!.append(box);
  return box;
}

/** Scrolls the pages, and only them: the field that is being typed into must not move. */
function bringIntoSight(box: SVGRectElement): void {
  const pages = box.closest<HTMLElement>('.pages')!;
  if (pages.scrollHeight <= pages.clientHeight) return;
  const [at, frame] = [box.getBoundingClientRect(), pages.getBoundingClientRect()];
  if (at.top >= frame.top && at.bottom <= frame.bottom) return;
  const smooth = !matchMedia('(prefers-reduced-motion: reduce)').matches;
  pages.scrollBy({ top: at.top - frame.top - frame.height / 3, behavior: smooth ? 'smooth' : 'instant' });
}

function fetchWhenNear(): void {
  const near = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        const picture = target.querySelector<SVGImageElement>('image[data-href]');
        picture?.setAttribute('href', picture.dataset['href']!);
      }
    },
    { rootMargin: '800px' },
  );
  for (const sheet of document.querySelectorAll('.sheet:has(image[data-href])')) near.observe(sheet);
}
