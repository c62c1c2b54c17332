import { byId } from '../../../ui/browser/dom.ts';
import { parseTermLines } from './term-lines.ts';

/** The values of `TranscriptionInputs`. */
export const readTranscriptionInputs = () => ({
  language: byId<HTMLSelectElement>('language').value,
  vocabulary: parseTermLines(byId<HTMLTextAreaElement>('vocabulary').value),
});
