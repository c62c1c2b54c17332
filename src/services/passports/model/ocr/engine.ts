import type { Grey } from './grey.ts';

/** A word, in pixels of the line image; `right` and `bottom` are exclusive. */
export interface LineWord {
  readonly text: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly confidence: number;
}

/** The lines took longer than a page of text can. */
export class TooMuchToRead extends Error {
  override readonly name = 'OcrTimeout';

  constructor(lines: number) {
    super(`OCR of ${lines} lines timed out.`);
  }
}

export interface Engine {
  /** Program and languages. */
  readonly name: string;
  /** Recognizes line images; concurrent calls queue. Throws {@link OcrTimeout}. */
  read(lines: readonly Grey[], signal: AbortSignal): Promise<LineWord[][]>;
  close(): Promise<void>;
}
