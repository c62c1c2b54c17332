import type { Box } from './page-geometry.ts';

export type Value = string | number | boolean | null;

/** Whether two values are equal as typed: numbers of an earlier schema may now be text, and forms send unchanged values. */
export const isSameValue = (a: Value, b: Value): boolean =>
  a === b || (a !== null && b !== null && String(a) === String(b));

/** `text` and `ocr`: extracted by rules; `model`: chosen by a language model; `manual`: typed by a user. */
export type Source = 'text' | 'ocr' | 'model' | 'manual';

/** Keys are `section:field`, or `section:row.column` in a table (rows from 1). */
export interface Field {
  readonly value: Value;
  /** 0..1; null if not measured. */
  readonly confidence: number | null;
  readonly source: Source;
  readonly page: number | null;
  readonly bbox: Box | null;
  readonly text: string | null;
  /** Two sources (model and template, two OCR readings) found different values; this one was chosen. */
  readonly disagrees?: true;
}

export interface Warning {
  readonly code: string;
  readonly message: string;
  readonly fields?: readonly string[];
}

/**
 * In place of the key of a page image: the page has a text layer, and its image is drawn from the PDF when it is shown. Most
 * are never shown.
 */
export const DRAWN_ON_REQUEST = 'drawn-on-request';

/** The result of the task. Edits are stored separately and never change it. */
export interface Extraction {
  readonly schema: { readonly id: string; readonly version: string };
  readonly fields: Readonly<Record<string, Field>>;
  readonly pages: number;
  /** Size in points; `turn` is the clockwise rotation to upright, `picture` a key of the file store or {@link DRAWN_ON_REQUEST}. */
  readonly sheets: readonly {
    readonly reader: string;
    readonly width: number;
    readonly height: number;
    readonly turn: 0 | 90 | 180 | 270;
    readonly picture: string | null;
  }[];
  readonly engine: {
    readonly llm_provider: string;
    readonly model: string | null;
    readonly version: string;
    /** The template that the document matched; `score` is the share of the form's words at their places. */
    readonly template?: { readonly id: string; readonly score: number };
  };
  readonly warnings: readonly Warning[];
}
