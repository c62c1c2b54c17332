import { bringIntoSight, light } from '../../../ui/browser/boxes.ts';

/**
 * Ties values to their places: the box of the field in focus lights up and comes into sight, and a click on a box goes to
 * its field. Pictures of later pages are fetched when somebody comes near them.
 */
export function linkBoxes(): void {
  const form = document.getElementById('fields')!;
  form.addEventListener('focusin', ({ target }) => {
    const box = light((target as Element).getAttribute('name') ?? '');
    if (box !== null) bringIntoSight(box);
  });
  document.querySelector('.pages')!.addEventListener('click', ({ target }) => {
    const { key } = (target as SVGElement).dataset;
    if (key !== undefined) document.getElementById(key)?.focus();
  });
  fetchWhenNear();
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
