import type { ErrorTexts } from '../../../ui/browser/error-texts.ts';

export interface QueuePageData extends ErrorTexts {
  readonly decided: string;
  readonly conflict: string;
  readonly needsNote: string;
  readonly states: Readonly<Record<string, string>>;
}
