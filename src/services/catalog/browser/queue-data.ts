import type { RefusalTexts } from '../../../ui/browser/refusal-texts.ts';

export interface QueueData extends RefusalTexts {
  readonly decided: string;
  readonly conflict: string;
  readonly needsNote: string;
  readonly states: Readonly<Record<string, string>>;
}
