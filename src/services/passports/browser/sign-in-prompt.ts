import { el } from '../../../ui/browser/dom.ts';
import type { ReviewTexts } from './review-texts.ts';

/** Opens the login in a new tab, so that this one keeps its unsaved values. `then` is what follows the sign-in. */
export const signInPrompt = (texts: ReviewTexts, then: string): (string | Node)[] => [
  `${texts.sessionEnded} `,
  el('a', { href: '../login', target: '_blank', rel: 'noopener' }, texts.signInAgain),
  ` ${then}`,
];
