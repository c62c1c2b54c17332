import type { ApiClient } from '../../../ui/browser/api.ts';
import { byId, fill } from '../../../ui/browser/dom.ts';
import type { Heatmap } from '../../../ui/browser/heatmap.ts';
import { createHeatmapView } from '../../../ui/browser/heatmap-view.ts';
import { createZoom } from '../../../ui/browser/zoom.ts';
import type { Formatters } from './formatters.ts';
import type { Inspection } from './inspection.ts';
import { drawRegions } from './region-boxes.ts';

export function createPhotoView(api: ApiClient, words: Formatters) {
  const { texts, title } = words;
  const view = createHeatmapView(texts.map, title);
  const zoom = createZoom(texts.map);
  const photo = byId<HTMLImageElement>('photo');
  const frame = byId('frame');
  const noPreview = byId('no-preview');
  let current: Inspection | undefined;
  /** The preview of `current`, which an earlier task gets later. */
  let shown: string | undefined;

  photo.addEventListener('load', () => {
    // `naturalWidth` and `naturalHeight` include the EXIF rotation.
    frame.style.setProperty('--ratio', String(photo.naturalWidth / photo.naturalHeight));
    noPreview.hidden = true;
    photo.hidden = false;
  });
  photo.addEventListener('error', showMissing);
  function showMissing(): void {
    frame.style.setProperty('--ratio', '1.3333');
    noPreview.textContent = fill(texts.noPreview, { name: current?.name ?? '' });
    noPreview.hidden = false;
    photo.hidden = true;
  }

  function paint(job: Inspection): void {
    const name = job.selectedClass;
    view.show(
      name === undefined
        ? undefined
        : { name, heat: job.heatmaps.has(name) ? (job.heatmaps.get(name) ?? null) : undefined },
    );
  }

  async function fetchHeatmap(job: Inspection, name: string): Promise<void> {
    try {
      const path = `result/${job.taskId}/heatmap?class=${encodeURIComponent(name)}`;
      job.heatmaps.set(name, await api.call<Heatmap>(path));
    } catch {
      job.heatmaps.set(name, undefined);
    }
  }

  return {
    zoom,
    show(job: Inspection): void {
      byId('picture').hidden = false;
      if (current !== job || shown !== job.preview) {
        current = job;
        shown = job.preview;
        zoom.reset();
        if (job.preview === undefined) {
          photo.removeAttribute('src');
          showMissing();
        } else photo.src = job.preview;
      }
      photo.alt = fill(texts.photo, { name: job.name });
      drawRegions(job.state?.result?.regions ?? []);
      paint(job);
      const { selectedClass } = job;
      if (selectedClass !== undefined && !job.heatmaps.has(selectedClass)) {
        void fetchHeatmap(job, selectedClass).then(() => {
          // The selection may have changed.
          if (current === job && job.selectedClass === selectedClass) paint(job);
        });
      }
    },
  };
}
