import type { Grey } from './grey.ts';

/** A word in the picture of a line, in its pixels; `right` and `bottom` lie just outside. */
export interface LineWord {
  readonly text: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  /** 0..1, as the engine gave it. */
  readonly confidence: number;
}

/** Thrown for lines that take longer than a page of text could: what they are of is none. */
export class TooMuchToRead extends Error {
  override readonly name = 'TooMuchToRead';

  constructor(lines: number) {
    super(`${lines} lines could not be read in time.`);
  }
}

/** What reads lines of text. */
export interface Engine {
  /** For people and for the record: the program and its languages. */
  readonly name: string;
  /** The words of each line, in their order. Any number of calls may be open; those that find no free lane wait. Throws {@link TooMuchToRead}. */
  read(lines: readonly Grey[], signal: AbortSignal): Promise<LineWord[][]>;
  close(): Promise<void>;
}
