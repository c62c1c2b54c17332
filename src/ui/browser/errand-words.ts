import type { UiTexts } from '../texts.ts';
import type { Errand } from './errand.ts';
import type { ErrandTexts } from './errand-texts.ts';
import type { Numbers } from './page-data.ts';

/** How a page says things of its files. */
export interface ErrandWords<It extends Errand> {
  readonly texts: ErrandTexts;
  readonly ui: UiTexts;
  readonly numbers: Numbers;
  /** A line for what became of it. */
  said(it: It): string;
  /** What is said aloud of one that is done. */
  aloud(it: It): string;
}

/** Why it failed; the code's own sentence where the service speaks another language. */
export const failureIn = (
  { code, sentence }: NonNullable<Errand['failure']>,
  { texts, ui }: { readonly texts: Pick<ErrandTexts, 'failures'>; readonly ui: UiTexts },
): string => texts.failures[code] ?? ui.refusals[code] ?? sentence;
