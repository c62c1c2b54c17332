import type { RefusalTexts } from '../../../ui/browser/refusal-texts.ts';

/** Data of the moderation page for its script. */
export interface QueueData extends RefusalTexts {
  readonly decided: string;
  readonly conflict: string;
  readonly needsNote: string;
  readonly states: Readonly<Record<string, string>>;
}
