import type { HelpTexts } from '../texts.ts';

/** What the server hands to the script of the help's pages. */
export interface HelpData {
  readonly words: Pick<HelpTexts, 'copy' | 'copied' | 'found' | 'nothing' | 'unreachable'>;
  /** The way to the page at `/`. */
  readonly root: string;
}
