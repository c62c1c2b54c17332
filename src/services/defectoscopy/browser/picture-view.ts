import type { Api } from '../../../ui/browser/api.ts';
import { byId, fill } from '../../../ui/browser/dom.ts';
import type { Heat } from '../../../ui/browser/heat.ts';
import { openHeatView } from '../../../ui/browser/heat-view.ts';
import type { Inspection } from './inspection.ts';
import type { Words } from './words.ts';

/** The photo, upright, with the map of the chosen class over it. */
export function openPicture(api: Api, words: Words) {
  const { texts, title } = words;
  const view = openHeatView(texts.map, title);
  const photo = byId<HTMLImageElement>('photo');
  const frame = byId('frame');
  const noPreview = byId('no-preview');
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

  function paint(it: Inspection): void {
    const name = it.shown;
    view.show(
      name === undefined ? undefined : { name, heat: it.heats.has(name) ? (it.heats.get(name) ?? null) : undefined },
    );
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
      paint(it);
      const { shown } = it;
      if (shown !== undefined && !it.heats.has(shown)) {
        void fetchHeat(it, shown).then(() => {
          // The person may have gone on to another class or photo meanwhile.
          if (current === it && it.shown === shown) paint(it);
        });
      }
    },
  };
}
