import type { Rectangle } from './binarize.ts';
import type { GrayImage } from './grayscale.ts';

/** A word, in pixels of the line image. */
export interface LineWord extends Rectangle {
  readonly text: string;
  readonly confidence: number;
}

/** The lines took longer than a page of text can. */
export class OcrTimeout extends Error {
  override readonly name = 'OcrTimeout';

  constructor(lines: number) {
    super(`OCR of ${lines} lines timed out.`);
  }
}

export interface OcrEngine {
  /** Program and languages. */
  readonly name: string;
  /** Recognizes line images; concurrent calls queue. Throws {@link OcrTimeout}. */
  recognize(lines: readonly GrayImage[], signal: AbortSignal): Promise<LineWord[][]>;
  close(): Promise<void>;
}
