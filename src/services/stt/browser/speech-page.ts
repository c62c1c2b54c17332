import { openApi, Refusal } from '../../../ui/browser/api.ts';
import { byId, el, fill } from '../../../ui/browser/dom.ts';
import { openDrop } from '../../../ui/browser/drop.ts';
import { giveUp, isOver } from '../../../ui/browser/errand.ts';
import { openModelLine } from '../../../ui/browser/model-line.ts';
import { numbers, pageData } from '../../../ui/browser/page-data.ts';
import { openTokens } from '../../../ui/browser/token.ts';
import { showVisit } from '../../../ui/browser/visit-list.ts';
import { type Hearing, hear, newHearing } from './hearing.ts';
import { openHearingPlayer } from './player.ts';
import { showProgress } from './progress-view.ts';
import { openRecorder } from './recorder.ts';
import type { SpeechPage } from './texts.ts';
import { openTranscript } from './transcript-view.ts';
import { openWords } from './words.ts';

/** Recordings that are on their way at once; more would only take the line from each other. */
const AT_ONCE = 2;

const { language, ui, own } = pageData<SpeechPage>();
const { texts, needsToken, maxBytes, exampleUrl } = own;
const words = openWords(texts, ui, numbers(language), language);
const model = openModelLine(texts.model);
// Where the page can send nothing, the server says so in place of the workspace.
if (document.getElementById('workspace')) start();

function start(): void {
  const tokens = openTokens(ui.token);
  const api = openApi({ tokens, needsToken, refusals: ui.refusals });
  const player = openHearingPlayer(words, (seconds, playing) => transcript.follow(seconds, playing));
  const transcript = openTranscript(api, words, player.playFrom);
  const all: Hearing[] = [];
  let current: Hearing | undefined;

  const size = words.numbers.size;
  byId('limits').textContent = fill(texts.drop.limits, { size: size(maxBytes) });
  openDrop({ inputs: ['file'], onFiles: take });
  openRecorder(texts, { file: (file) => take([file]), refused: (sentence) => refuse([sentence]) });
  byId('cancel').addEventListener('click', () => current && void cancel(current));
  const example = document.getElementById('example');
  example?.addEventListener('click', () => exampleUrl && void takeExample(exampleUrl));
  if (needsToken && tokens.current() === undefined) void tokens.ask();
  // The clock of the step that is being taken.
  setInterval(() => {
    if (current && !isOver(current)) showProgress(current, words, model.isWarm());
  }, 200);

  function take(files: readonly File[]): void {
    const refusals: string[] = [];
    const spoken = byId<HTMLSelectElement>('language').value;
    for (const file of files) {
      const why = unfit(file);
      if (why) refusals.push(why);
      else all.push(newHearing(file, spoken));
    }
    refuse(refusals);
    const last = all.at(-1);
    if (last && refusals.length < files.length) choose(last);
    next();
  }

  /** Only what is certain: what the bytes are, the service finds out. */
  function unfit({ name, size: bytes, type }: File): string | undefined {
    if (bytes === 0) return fill(texts.empty, { name });
    if (bytes > maxBytes) return fill(texts.tooLarge, { name, size: size(bytes), limit: size(maxBytes) });
    if (/^(image|text|font)\//.test(type) || type === 'application/pdf') return fill(texts.notSound, { name });
    return undefined;
  }

  async function takeExample(url: string): Promise<void> {
    try {
      const bytes = await (await fetch(url)).blob();
      take([new File([bytes], url.split('/').at(-1) ?? '', { type: bytes.type })]);
    } catch {
      refuse([texts.model.offline]);
    }
  }

  function next(): void {
    const going = all.filter((it) => it.stage !== 'waiting' && !isOver(it)).length;
    for (const it of all.filter(({ stage }) => stage === 'waiting').slice(0, Math.max(0, AT_ONCE - going)))
      void run(it);
  }

  async function run(it: Hearing): Promise<void> {
    try {
      await hear(it, api, () => changed(it));
    } catch (error) {
      if (it.stop.signal.aborted) return ended(it, 'cancelled');
      it.failure =
        error instanceof Refusal
          ? { code: error.code, sentence: error.message }
          : { code: '', sentence: fill(ui.unexpected, { message: String(error) }) };
      return ended(it, 'failed');
    }
    changed(it);
    next();
    void model.look();
  }

  function ended(it: Hearing, stage: 'failed' | 'cancelled'): void {
    it.stage = stage;
    it.began[stage] = performance.now();
    changed(it);
    next();
  }

  async function cancel(it: Hearing): Promise<void> {
    const waited = it.stage === 'waiting';
    // A refusal means that it has just ended by itself, which the result will tell.
    await giveUp(it, api).catch(() => {});
    if (waited) ended(it, 'cancelled');
  }

  function choose(it: Hearing): void {
    current = it;
    byId('drop').classList.add('slim');
    byId('explain').hidden = true;
    byId('drop-title').textContent = texts.drop.more;
    byId('progress').hidden = false;
    player.show(it);
    changed(it);
  }

  function changed(it: Hearing): void {
    const picture = () => el('span', { class: 'missing' });
    showVisit(all, current, { said: words.said, picture, onChoose: choose });
    if (it !== current) return;
    showProgress(it, words, model.isWarm());
    // What is there already keeps its place and focus.
    const mark = `${all.indexOf(it)} ${it.stage}`;
    if (byId('outcome').dataset['of'] === mark) return;
    byId('outcome').dataset['of'] = mark;
    transcript.show(it);
  }

  function refuse(sentences: readonly string[]): void {
    const place = byId('refused');
    place.textContent = sentences.join(' ');
    place.hidden = sentences.length === 0;
  }
}
