import { byId, fill } from './dom.ts';
import { type Heat, heaviestNinth, paintHeat } from './heat.ts';
import type { HeatTexts } from './heat-texts.ts';

/** The heatmap to show; `heat` is undefined while it loads and null if there is none. */
export interface Shown {
  readonly name: string;
  readonly heat: Heat | null | undefined;
}

export function openHeatView(words: HeatTexts, title: (name: string) => string) {
  const canvas = byId<HTMLCanvasElement>('heat');
  const show = byId<HTMLInputElement>('show-map');
  const strength = byId<HTMLInputElement>('strength');
  let current: Shown | undefined;

  show.addEventListener('change', paint);
  strength.addEventListener('input', paint);

  function paint(): void {
    const heat = current?.heat ?? undefined;
    byId('overlay').hidden = heat === undefined;
    byId('where').textContent = current === undefined || current.heat === undefined ? '' : caption(current);
    strength.disabled = !show.checked;
    canvas.hidden = heat === undefined || !show.checked;
    if (canvas.hidden || !heat || !current) return;
    canvas.style.opacity = String(Number(strength.value) / 100);
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', caption(current));
    paintHeat(canvas, heat);
  }

  function caption({ name, heat }: Shown): string {
    const region = heat && heaviestNinth(heat);
    if (!region) return fill(words.none, { name: title(name) });
    const [row, column] = region;
    return fill(words.seen, { name: title(name), place: words.places[row]?.[column] ?? '' });
  }

  return {
    /** Undefined hides the heatmap. */
    show(shown: Shown | undefined): void {
      current = shown;
      paint();
    },
  };
}
