import '../../../ui/browser/batch-page.ts';
import { setCommonFields } from '../../../ui/browser/batch-upload.ts';
import { readTranscriptionInputs } from './transcription-inputs.ts';

setCommonFields(() => {
  const { language, vocabulary } = readTranscriptionInputs();
  return { language, ...(vocabulary.length > 0 && { vocabulary: JSON.stringify(vocabulary) }) };
});
