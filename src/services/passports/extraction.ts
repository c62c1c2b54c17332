import type { Box } from './page.ts';

export type Value = string | number | boolean | null;

/**
 * Source of a value: extracted by rules from the PDF's text (`text`) or from OCR (`ocr`), chosen by a language model
 * (`model`), or typed by a user (`manual`).
 */
export type Source = 'text' | 'ocr' | 'model' | 'manual';

/** One value with its position. Keys are `section:field`, or `section:row.column` in a table (rows from 1). */
export interface Field {
  readonly value: Value;
  /** 0..1; null if not measured. */
  readonly confidence: number | null;
  readonly source: Source;
  readonly page: number | null;
  readonly bbox: Box | null;
  /** The text on the page, before conversion to a value. */
  readonly text: string | null;
}

export interface Warning {
  readonly code: string;
  readonly message: string;
  readonly fields?: readonly string[];
}

/** The result of the task. Edits never change it; they are stored separately. */
export interface Extraction {
  readonly schema: { readonly id: string; readonly version: string };
  readonly fields: Readonly<Record<string, Field>>;
  readonly pages: number;
  /** Per page: text source, size in points, clockwise rotation to upright, and the image's key in the file store. */
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
