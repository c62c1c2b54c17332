import { byId, el } from '../../../ui/browser/dom.ts';
import { createNumberFormats } from '../../../ui/browser/number-formats.ts';
import { pageData } from '../../../ui/browser/page-data.ts';
import { initUploadPage } from '../../../ui/browser/upload-page.ts';
import { stepProgress } from '../../../ui/browser/upload-steps.ts';
import type { UploadPageData } from '../../../ui/browser/upload-texts.ts';
import { createFormatters } from './formatters.ts';
import { createJobPlayer } from './job-player.ts';
import { createRecorder } from './recorder.ts';
import type { SpeechTexts } from './texts.ts';
import { createTranscriptView } from './transcript-view.ts';
import { readTranscriptionInputs } from './transcription-inputs.ts';
import { createTranscriptionJob, runTranscriptionJob, type TranscriptionJob } from './transcription-job.ts';

const page = pageData<UploadPageData<SpeechTexts>>();
const words = createFormatters(page.data.texts, page.ui, createNumberFormats(page.language), page.language);

initUploadPage<TranscriptionJob>(page, words, (api, { addFiles, showErrors }) => {
  const player = createJobPlayer(words, (seconds, playing) => transcript.follow(seconds, playing));
  const transcript = createTranscriptView(api, words, player);
  createRecorder(words.texts, { file: (file) => addFiles([file]), error: (sentence) => showErrors([sentence]) });
  return {
    concurrency: 2,
    inputs: ['file'],
    isUnsupported: (type) => /^(image|text|font)\//.test(type) || type === 'application/pdf',
    createJob: (source) => createTranscriptionJob(source, readTranscriptionInputs()),
    run: (job, onChange) => runTranscriptionJob(job, api, onChange),
    thumbnail: () => el('span', { class: 'missing' }),
    show(job) {
      player.show(job);
      showTranscriptionProgress(job);
    },
    showResult: transcript.show,
  };
});

function showTranscriptionProgress(job: TranscriptionJob): void {
  const share = job.stage === 'processing' ? stepProgress(job) : undefined;
  byId('transcription-progress').hidden = share === undefined;
  if (share !== undefined) byId<HTMLProgressElement>('transcription-bar').value = share;
}
