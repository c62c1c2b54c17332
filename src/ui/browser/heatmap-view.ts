import { byId, fill } from './dom.ts';
import { type Heatmap, paintHeatmap, strongestRegion } from './heatmap.ts';
import type { HeatmapTexts } from './heatmap-texts.ts';

/** The heatmap to show; `heat` is undefined while it loads and null if there is none. */
export interface ShownHeatmap {
  readonly name: string;
  readonly heat: Heatmap | null | undefined;
}

export function createHeatmapView(words: HeatmapTexts, title: (name: string) => string) {
  const canvas = byId<HTMLCanvasElement>('heatmap');
  const show = byId<HTMLInputElement>('show-heatmap');
  const strength = byId<HTMLInputElement>('heatmap-opacity');
  let current: ShownHeatmap | undefined;

  show.addEventListener('change', paint);
  strength.addEventListener('input', paint);

  function paint(): void {
    const heat = current?.heat ?? undefined;
    byId('overlay').hidden = heat === undefined;
    byId('heatmap-caption').textContent = current === undefined || current.heat === undefined ? '' : caption(current);
    strength.disabled = !show.checked;
    canvas.hidden = heat === undefined || !show.checked;
    if (canvas.hidden || !heat || !current) return;
    canvas.style.opacity = String(Number(strength.value) / 100);
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', caption(current));
    paintHeatmap(canvas, heat);
  }

  function caption({ name, heat }: ShownHeatmap): string {
    const region = heat && strongestRegion(heat);
    if (!region) return fill(words.none, { name: title(name) });
    const [row, column] = region;
    return fill(words.seen, { name: title(name), place: words.places[row]?.[column] ?? '' });
  }

  return {
    /** Undefined hides the heatmap. */
    show(shown: ShownHeatmap | undefined): void {
      current = shown;
      paint();
    },
  };
}
