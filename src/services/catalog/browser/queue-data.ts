import type { RefusalTexts } from '../../../ui/browser/refusal-texts.ts';

/** What the moderators' page hands to its script. */
export interface QueueData extends RefusalTexts {
  readonly decided: string;
  readonly conflict: string;
  readonly needsNote: string;
  readonly states: Readonly<Record<string, string>>;
}
