import type { Api } from '../../../ui/browser/api.ts';
import { byId, fill } from '../../../ui/browser/dom.ts';
import { type Heat, heaviestNinth, paintHeat } from './heat.ts';
import type { Inspection } from './inspection.ts';
import type { Words } from './words.ts';

/** The photo, upright, with the map of the chosen class over it. */
export function openPicture(api: Api, words: Words) {
  const { texts, title } = words;
  const photo = byId<HTMLImageElement>('photo');
  const canvas = byId<HTMLCanvasElement>('heat');
  const frame = byId('frame');
  const noPreview = byId('no-preview');
  const show = byId<HTMLInputElement>('show-map');
  const strength = byId<HTMLInputElement>('strength');
  let current: Inspection | undefined;

  photo.addEventListener('load', () => {
    // The browser turns the picture upright by its EXIF, in these two numbers as well.
    frame.style.setProperty('--ratio', String(photo.naturalWidth / photo.naturalHeight));
    noPreview.hidden = true;
    photo.hidden = false;
  });
  photo.addEventListener('error', () => {
    frame.style.setProperty('--ratio', '1.3333');
    noPreview.textContent = fill(texts.noPreview, { name: current?.file.name ?? '' });
    noPreview.hidden = false;
    photo.hidden = true;
  });
  show.addEventListener('change', paint);
  strength.addEventListener('input', paint);

  function paint(): void {
    const name = current?.shown;
    const heat = name === undefined ? undefined : current?.heats.get(name);
    const loaded = name !== undefined && current?.heats.has(name) === true;
    byId('overlay').hidden = heat === undefined;
    byId('where').textContent = loaded ? caption(name, heat) : '';
    strength.disabled = !show.checked;
    canvas.hidden = heat === undefined || !show.checked;
    if (canvas.hidden || !heat) return;
    canvas.style.opacity = String(Number(strength.value) / 100);
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', caption(heat.name, heat));
    paintHeat(canvas, heat);
  }

  function caption(name: string, heat: Heat | undefined): string {
    const ninth = heat && heaviestNinth(heat);
    if (!ninth) return fill(texts.map.none, { name: title(name) });
    const [row, column] = ninth;
    return fill(texts.map.seen, { name: title(name), place: texts.map.places[row]?.[column] ?? '' });
  }

  async function fetchHeat(it: Inspection, name: string): Promise<void> {
    try {
      const path = `result/${it.taskId}/heatmap?class=${encodeURIComponent(name)}`;
      it.heats.set(name, await api.call<Heat>(path));
    } catch {
      // No map is no reason to take the result away; the caption says that there is none.
      it.heats.set(name, undefined);
    }
  }

  return {
    /** Shows a photo, or the same one with another class. */
    show(it: Inspection): void {
      byId('picture').hidden = false;
      if (current !== it) {
        current = it;
        photo.src = it.preview;
        photo.alt = fill(texts.photo, { name: it.file.name });
      }
      paint();
      const { shown } = it;
      if (shown !== undefined && !it.heats.has(shown)) {
        void fetchHeat(it, shown).then(() => {
          // The person may have gone on to another class or photo meanwhile.
          if (current === it && it.shown === shown) paint();
        });
      }
    },
  };
}
