import type { Files } from '../../base/files.ts';
import type { CompletedDocument } from './documents.ts';
import { DRAWN_ON_REQUEST } from './extraction.ts';

/** Loads the image of a page (from 1) as JPEG; undefined for a page without one. */
export type LoadPageImage = (page: number) => Promise<Buffer | undefined>;

export interface PageImage {
  /** Differs for different images. */
  readonly version: string;
  load(signal: AbortSignal): Promise<Buffer | undefined>;
}

/** The image of a page (from 1): the stored one of a scan, otherwise drawn from the PDF. Undefined for a page without one. */
export function findPageImage(
  { fileKey, extraction }: Pick<CompletedDocument, 'fileKey' | 'extraction'>,
  page: number,
  files: Files,
): PageImage | undefined {
  const key = extraction.sheets[page - 1]?.picture;
  if (typeof key !== 'string') return undefined;
  if (key !== DRAWN_ON_REQUEST) return { version: key, load: (signal) => files.get(key, { signal }) };
  return {
    version: `${fileKey} ${page}`,
    async load(signal) {
      // Loads PDFium only when a page is shown.
      const { drawPage } = await import('./images/draw-page.ts');
      return drawPage({ fileKey, page }, files, signal);
    },
  };
}
