import type { Box } from './page.ts';

export type Value = string | number | boolean | null;

/** Where a value came from: read by the rules from the PDF's text (`text`) or from OCR (`ocr`), chosen by a language model (`model`), typed by a person (`manual`). */
export type Source = 'text' | 'ocr' | 'model' | 'manual';

/** One value with its place. Keys are `section:field`, or `section:row.column` (rows from 1) in a table. */
export interface Field {
  readonly value: Value;
  /** 0..1; null when nobody measured it. Never invented. */
  readonly confidence: number | null;
  readonly source: Source;
  readonly page: number | null;
  readonly bbox: Box | null;
  /** The words as they stood on the page, before they became a value. */
  readonly text: string | null;
}

export interface Warning {
  readonly code: string;
  readonly message: string;
  /** The fields that it is about. */
  readonly fields?: readonly string[];
}

/** What a document came to: the result of the task, never changed by edits, which lie over it. */
export interface Extraction {
  readonly schema: { readonly id: string; readonly version: string };
  readonly fields: Readonly<Record<string, Field>>;
  readonly pages: number;
  /** Per page: its reader, its size in points, the turn that sets it upright, and the key of its picture in the file store. */
  readonly sheets: readonly {
    readonly reader: string;
    readonly width: number;
    readonly height: number;
    readonly turn: 0 | 90 | 180 | 270;
    readonly picture: string | null;
  }[];
  readonly engine: { readonly llm_provider: string; readonly model: string | null; readonly version: string };
  readonly warnings: readonly Warning[];
}
