import type { ApiClient } from '../../../ui/browser/api.ts';
import { copyOnClick } from '../../../ui/browser/copy.ts';
import { byId, el } from '../../../ui/browser/dom.ts';
import { showOutcome } from '../../../ui/browser/upload-views.ts';
import { createWordHighlight, type TimedElement } from '../../../ui/browser/word-highlight.ts';
import type { Recorded } from '../result.ts';
import type { Formatters } from './formatters.ts';
import type { JobPlayer } from './job-player.ts';
import { createTranscriptEditor, type TranscriptEditor } from './transcript-editor.ts';
import type { TaskState, TranscriptionJob } from './transcription-job.ts';
import { createVocabularyOffers } from './vocabulary-offers.ts';

const FORMATS = ['txt', 'srt', 'vtt', 'json'] as const;

/** Clicking a word or a paragraph's time plays from there; while the transcript is edited, a word opens its segment. */
export function createTranscriptView(api: ApiClient, words: Formatters, player: JobPlayer) {
  const { texts, ui } = words;
  const marks = createWordHighlight();
  const editors = new Map<TranscriptionJob, TranscriptEditor>();
  let current: TranscriptEditor | undefined;

  byId('outcome').addEventListener('click', ({ target }) => {
    const element = target as HTMLElement;
    const startSeconds = element.closest<HTMLElement>('[data-at]')?.dataset['at'];
    if (startSeconds === undefined || (current?.isEditing() && element.closest('.line'))) return;
    player.playFrom(Number(startSeconds));
  });
  addEventListener('beforeunload', (event) => {
    if ([...editors.values()].some((editor) => !editor.isSaved())) event.preventDefault();
  });

  function show(job: TranscriptionJob): void {
    marks.set([]);
    current = undefined;
    const provider = job.state?.result?.service;
    showOutcome<Recorded, TaskState>(job, words, {
      result: (result) => transcriptElements(job, result),
      facts: provider === undefined ? [] : [[texts.engine, provider]],
    });
  }

  function transcriptElements(job: TranscriptionJob, result: Recorded): HTMLElement[] {
    const heading = el(
      'div',
      { class: 'result-head', 'data-positive': String(result.transcription !== '') },
      el('h2', { id: 'result-title' }, result.transcription === '' ? words.emptyText(result) : texts.transcript),
      el('p', { class: 'surface' }, words.facts(result)),
    );
    if (result.transcription === '') return [heading];
    const known = editors.get(job);
    current = known ?? createEditor(job.taskId!, result);
    editors.set(job, current);
    // An earlier task may have been corrected.
    if (!known && !job.file) current.load();
    current.showMarks();
    const incomplete = words.incomplete(result);
    const notice = incomplete === undefined ? [] : [el('p', { class: 'notice' }, incomplete)];
    return [heading, ...notice, downloadButtons(job, current), current.element];
  }

  function createEditor(taskId: string, transcript: Recorded): TranscriptEditor {
    const offers = createVocabularyOffers(api, words);
    const onMarks = (elements: readonly TimedElement[]) => marks.set(elements);
    return createTranscriptEditor({ api, taskId, transcript, words, player, offers, onMarks });
  }

  function downloadButtons(job: TranscriptionJob, editor: TranscriptEditor): HTMLElement {
    const copy = el('button', { type: 'button', class: 'small' }, texts.copyText);
    copyOnClick(copy, editor.text, { copy: texts.copyText, copied: ui.copied });
    const buttons = FORMATS.map((format) => {
      const button = el('button', { type: 'button', class: 'small', id: `save-${format}` }, texts.saved[format]);
      button.addEventListener('click', () => void download(job, editor, format));
      return button;
    });
    return el(
      'div',
      { class: 'downloads', role: 'group', 'aria-label': texts.save },
      el('span', {}, texts.save),
      ...buttons,
      copy,
    );
  }

  async function download(
    job: TranscriptionJob,
    editor: TranscriptEditor,
    format: (typeof FORMATS)[number],
  ): Promise<void> {
    if (!(await editor.save())) return;
    const file = await api.file(`result/${job.taskId}/transcript?format=${format}`);
    const href = URL.createObjectURL(file);
    const name = `${job.name.replace(/^.*\/|\.[^.]+$/g, '')}.${format}`;
    el('a', { href, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(href), 10_000);
  }

  return {
    show,
    follow: (seconds: number, playing: boolean) => marks.follow(seconds, playing && !current?.isEditing()),
  };
}
