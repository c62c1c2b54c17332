import { highlightBox, scrollToBox } from '../../../ui/browser/boxes.ts';

/** Links fields and boxes: focusing a field highlights its box, clicking a box focuses its field. */
export function linkBoxes(): void {
  const form = document.getElementById('fields')!;
  form.addEventListener('focusin', ({ target }) => {
    const box = highlightBox((target as Element).getAttribute('name') ?? '');
    if (box !== null) scrollToBox(box);
  });
  document.querySelector('.pages')!.addEventListener('click', ({ target }) => {
    const { key } = (target as SVGElement).dataset;
    if (key !== undefined) document.getElementById(key)?.focus();
  });
  loadImagesOnScroll();
}

function loadImagesOnScroll(): void {
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        const picture = target.querySelector<SVGImageElement>('image[data-href]');
        picture?.setAttribute('href', picture.dataset['href']!);
      }
    },
    { rootMargin: '800px' },
  );
  for (const sheet of document.querySelectorAll('.sheet:has(image[data-href])')) observer.observe(sheet);
}
