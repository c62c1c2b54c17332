import type { ErrorTexts } from '../../../ui/browser/error-texts.ts';
import type { Texts } from '../pages/texts.ts';

export type QueuePageData = ErrorTexts & Pick<Texts, 'decided' | 'conflict' | 'needsNote' | 'reportStates'>;
