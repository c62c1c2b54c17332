import { showLocalTimes } from '../../../ui/browser/local-times.ts';

showLocalTimes(document);

// Draws the reduced copy of the searched photo, whose grey levels are in the address.
const canvas = document.querySelector<HTMLCanvasElement>('canvas[data-grey]');
const context = canvas?.getContext('2d');
if (canvas && context) {
  const grey = atob((canvas.dataset['grey'] ?? '').replaceAll('-', '+').replaceAll('_', '/'));
  const image = context.createImageData(canvas.width, canvas.height);
  for (let at = 0; at < grey.length; at++) {
    const level = grey.charCodeAt(at);
    image.data.set([level, level, level, 255], 4 * at);
  }
  context.putImageData(image, 0, 0);
  canvas.closest<HTMLElement>('.query-picture')!.hidden = false;
}
