import { byId } from './dom.ts';
import type { HeatmapTexts } from './heatmap-texts.ts';

const MOST = 12;
const STEP = 1.5;
/** Share of the frame per arrow key. */
const PAN = 0.15;

/** Zooms and pans `#stage` in `#frame`: wheel, drag, the buttons of `#zoom`, and the keys + − 0 and arrows on the frame. */
export function createZoom({ zoomKeys }: HeatmapTexts) {
  const [frame, stage] = [byId('frame'), byId('stage')];
  let scale = 1;
  // The upper left corner of the visible part, 0..1 of the stage.
  let [left, top] = [0, 0];
  byId('zoom').hidden = false;
  frame.tabIndex = 0;
  frame.setAttribute('role', 'group');
  frame.setAttribute('aria-label', zoomKeys);

  function apply(): void {
    const clamp = (value: number) => Math.min(1 - 1 / scale, Math.max(0, value));
    [left, top] = [clamp(left), clamp(top)];
    stage.style.transform = `scale(${scale}) translate(${-left * 100}%, ${-top * 100}%)`;
    frame.toggleAttribute('data-zoomed', scale > 1);
    byId<HTMLButtonElement>('zoom-out').disabled = scale <= 1;
    byId<HTMLButtonElement>('zoom-in').disabled = scale >= MOST;
    byId<HTMLButtonElement>('zoom-reset').disabled = scale <= 1;
  }

  /** The point at `x`, `y` of the frame (0..1) stays where it is. */
  function zoomTo(next: number, x = 0.5, y = 0.5): void {
    const limited = Math.min(MOST, Math.max(1, next));
    left += x / scale - x / limited;
    top += y / scale - y / limited;
    scale = limited;
    apply();
  }

  function pan(x: number, y: number): void {
    left += x / scale;
    top += y / scale;
    apply();
  }

  const actions: Readonly<Record<string, () => void>> = {
    '+': () => zoomTo(scale * STEP),
    '=': () => zoomTo(scale * STEP),
    '-': () => zoomTo(scale / STEP),
    '0': () => zoomTo(1),
    ArrowLeft: () => pan(-PAN, 0),
    ArrowRight: () => pan(PAN, 0),
    ArrowUp: () => pan(0, -PAN),
    ArrowDown: () => pan(0, PAN),
  };
  frame.addEventListener('keydown', (event) => {
    const action = actions[event.key];
    if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    // Arrows scroll the page while the whole photo is visible.
    if (event.key.startsWith('Arrow') && scale === 1) return;
    event.preventDefault();
    action();
  });
  for (const [id, key] of Object.entries({ 'zoom-in': '+', 'zoom-out': '-', 'zoom-reset': '0' })) {
    byId(id).addEventListener('click', actions[key]!);
  }
  frame.addEventListener(
    'wheel',
    (event) => {
      if (event.deltaY === 0 || (scale === 1 && event.deltaY > 0)) return;
      event.preventDefault();
      const { x, y, width, height } = frame.getBoundingClientRect();
      zoomTo(scale * STEP ** (-event.deltaY / 100), (event.clientX - x) / width, (event.clientY - y) / height);
    },
    { passive: false },
  );
  frame.addEventListener('pointerdown', (event) => {
    if (scale > 1 && event.button === 0) frame.setPointerCapture(event.pointerId);
  });
  frame.addEventListener('pointermove', (event) => {
    if (!frame.hasPointerCapture(event.pointerId)) return;
    pan(-event.movementX / frame.clientWidth, -event.movementY / frame.clientHeight);
  });
  apply();

  return {
    reset: () => zoomTo(1),
    /** Shows a box (0..1 of the stage) with a margin. */
    show([x0, y0, x1, y1]: readonly [number, number, number, number]): void {
      scale = Math.min(MOST, Math.max(1, 0.5 / Math.max(x1 - x0, y1 - y0)));
      left = (x0 + x1) / 2 - 0.5 / scale;
      top = (y0 + y1) / 2 - 0.5 / scale;
      apply();
    },
  };
}
