import { byId, el } from '../../../ui/browser/dom.ts';
import { openErrandPage } from '../../../ui/browser/errand-page.ts';
import { shareOf } from '../../../ui/browser/errand-steps.ts';
import type { ErrandPage } from '../../../ui/browser/errand-texts.ts';
import { numbers, pageData } from '../../../ui/browser/page-data.ts';
import { type Hearing, hear, newHearing } from './hearing.ts';
import { openHearingPlayer } from './player.ts';
import { openRecorder } from './recorder.ts';
import type { SpeechTexts } from './texts.ts';
import { openTranscript } from './transcript-view.ts';
import { openWords } from './words.ts';

const page = pageData<ErrandPage<SpeechTexts>>();
const words = openWords(page.own.texts, page.ui, numbers(page.language), page.language);

openErrandPage<Hearing>(page, words, (api, { take: addFiles, refuse: showErrors }) => {
  const player = openHearingPlayer(words, (seconds, playing) => transcript.follow(seconds, playing));
  const transcript = openTranscript(api, words, player.playFrom);
  openRecorder(words.texts, { file: (file) => addFiles([file]), refused: (sentence) => showErrors([sentence]) });
  return {
    atOnce: 2,
    inputs: ['file'],
    unfit: (type) => /^(image|text|font)\//.test(type) || type === 'application/pdf',
    make: (file) => newHearing(file, byId<HTMLSelectElement>('language').value),
    run: (job, onChange) => hear(job, api, onChange),
    picture: () => el('span', { class: 'missing' }),
    show(job) {
      player.show(job);
      showTranscriptionProgress(job);
    },
    showOutcome: transcript.show,
  };
});

function showTranscriptionProgress(job: Hearing): void {
  const share = job.stage === 'processing' ? shareOf(job) : undefined;
  byId('heard').hidden = share === undefined;
  if (share !== undefined) byId<HTMLProgressElement>('heard-bar').value = share;
}
