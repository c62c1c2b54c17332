import type { Api } from '../../../ui/browser/api.ts';
import { byId, fill } from '../../../ui/browser/dom.ts';
import type { Heat } from '../../../ui/browser/heat.ts';
import { openHeatView } from '../../../ui/browser/heat-view.ts';
import type { Inspection } from './inspection.ts';
import type { Words } from './words.ts';

export function openPicture(api: Api, words: Words) {
  const { texts, title } = words;
  const view = openHeatView(texts.map, title);
  const photo = byId<HTMLImageElement>('photo');
  const frame = byId('frame');
  const noPreview = byId('no-preview');
  let current: Inspection | undefined;

  photo.addEventListener('load', () => {
    // `naturalWidth` and `naturalHeight` include the EXIF rotation.
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

  function paint(job: Inspection): void {
    const name = job.shown;
    view.show(
      name === undefined ? undefined : { name, heat: job.heats.has(name) ? (job.heats.get(name) ?? null) : undefined },
    );
  }

  async function fetchHeatmap(job: Inspection, name: string): Promise<void> {
    try {
      const path = `result/${job.taskId}/heatmap?class=${encodeURIComponent(name)}`;
      job.heats.set(name, await api.call<Heat>(path));
    } catch {
      job.heats.set(name, undefined);
    }
  }

  return {
    show(job: Inspection): void {
      byId('picture').hidden = false;
      if (current !== job) {
        current = job;
        photo.src = job.preview;
        photo.alt = fill(texts.photo, { name: job.file.name });
      }
      paint(job);
      const { shown: selectedClass } = job;
      if (selectedClass !== undefined && !job.heats.has(selectedClass)) {
        void fetchHeatmap(job, selectedClass).then(() => {
          // The selection may have changed.
          if (current === job && job.shown === selectedClass) paint(job);
        });
      }
    },
  };
}
