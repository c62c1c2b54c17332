import type { CompletedDocument } from '../documents.ts';
import type { Box } from '../page-geometry.ts';
import type { LoadPageImage } from '../page-images.ts';
import type { ExportRow } from './rows.ts';

interface Place {
  readonly page: number;
  readonly box: Box;
}

export interface PageExcerpt {
  readonly page: number;
  readonly width: number;
  readonly height: number;
  readonly jpeg: Uint8Array;
}

/** Cuts the places out of the page images. Omits missing and unreadable images; holds one in memory. */
export async function loadExcerpts(opened: CompletedDocument, places: readonly Place[], picture: LoadPageImage) {
  // Loads the decoder only for reports.
  const { cropBoxes } = await import('../images/crops.ts');
  const excerpts = new Map<Place, PageExcerpt>();
  for (const page of new Set(places.map((place) => place.page))) {
    const sheet = opened.extraction.sheets[page - 1];
    const image = sheet?.picture ? await picture(page) : undefined;
    if (!sheet || !image) continue;
    const here = places.filter((place) => place.page === page);
    const boxes = here.map(({ box }) => box);
    const strips = await cropBoxes(image, boxes, sheet.turn).catch(() => []);
    for (const [index, { bytes: jpeg, ...size }] of strips.entries())
      excerpts.set(here[index]!, { page, jpeg, ...size });
  }
  return excerpts;
}

export function toPlace({ page, bbox }: ExportRow): Place | undefined {
  return page === null || bbox === null ? undefined : { page, box: bbox };
}

/** One place per page. */
export function tablePlaces(cells: readonly ExportRow[]): Place[] {
  const byPage = new Map<number, Box>();
  for (const cell of cells) {
    const place = toPlace(cell);
    if (!place) continue;
    const [x0, y0, x1, y1] = byPage.get(place.page) ?? place.box;
    const [a, b, c, d] = place.box;
    byPage.set(place.page, [Math.min(x0, a), Math.min(y0, b), Math.max(x1, c), Math.max(y1, d)]);
  }
  return [...byPage].map(([page, box]) => ({ page, box }));
}
