import type { ApiClient } from '../../../ui/browser/api.ts';
import { copyOnClick } from '../../../ui/browser/copy.ts';
import { byId, el, fill } from '../../../ui/browser/dom.ts';
import { type Paragraph, paragraphs, wordSeparator } from '../../../ui/browser/paragraphs.ts';
import { showOutcome } from '../../../ui/browser/upload-views.ts';
import { createWordHighlight, type TimedElement } from '../../../ui/browser/word-highlight.ts';
import type { Recorded } from '../result.ts';
import type { Formatters } from './formatters.ts';
import type { TaskState, TranscriptionJob } from './transcription-job.ts';

const FORMATS = ['txt', 'srt', 'vtt', 'json'] as const;

/** Clicking a word or a paragraph's time plays from there. */
export function createTranscriptView(api: ApiClient, words: Formatters, onPlay: (seconds: number) => void) {
  const { texts, ui } = words;
  const marks = createWordHighlight();

  byId('outcome').addEventListener('click', ({ target }) => {
    const startSeconds = (target as HTMLElement).closest<HTMLElement>('[data-at]')?.dataset['at'];
    if (startSeconds !== undefined) onPlay(Number(startSeconds));
  });

  function show(job: TranscriptionJob): void {
    marks.set([]);
    const provider = job.state?.result?.service;
    showOutcome<Recorded, TaskState>(job, words, {
      result: (result) => transcriptElements(job, result),
      facts: provider === undefined ? [] : [[texts.engine, provider]],
    });
  }

  function transcriptElements(job: TranscriptionJob, result: Recorded): HTMLElement[] {
    const heading = el(
      'div',
      { class: 'verdict', 'data-sound': String(result.transcription !== '') },
      el('h2', { id: 'verdict' }, result.transcription === '' ? texts.nothing : texts.transcript),
      el('p', { class: 'surface' }, words.facts(result)),
    );
    if (result.transcription === '') return [heading];
    const text = el('div', { class: 'transcript', lang: result.language ?? '', id: 'transcript' });
    const timedElements: TimedElement[] = [];
    const items = paragraphs(result.segments, result.words);
    text.append(...items.map((item) => paragraph(item, result, timedElements)));
    marks.set(timedElements);
    return [heading, downloadButtons(job, result), text];
  }

  function paragraph(
    { segment, parts }: Paragraph,
    { language }: Recorded,
    timedElements: TimedElement[],
  ): HTMLElement {
    const time = words.clock(segment.start);
    const button = el(
      'button',
      {
        type: 'button',
        class: 'link time',
        'data-at': String(segment.start),
        'aria-label': fill(texts.playFrom, { time }),
      },
      time,
    );
    const space = wordSeparator(language);
    const line = el('span', { class: 'line' });
    for (const part of parts) {
      const element = el('span', { class: 'word', 'data-at': String(part.start) }, part.text);
      timedElements.push({ start: part.start, end: part.end, element });
      line.append(element, space);
    }
    return el('p', {}, button, line);
  }

  function downloadButtons(job: TranscriptionJob, result: Recorded): HTMLElement {
    const copy = el('button', { type: 'button', class: 'small' }, texts.copyText);
    copyOnClick(copy, () => result.transcription, { copy: texts.copyText, copied: ui.copied });
    const buttons = FORMATS.map((format) => {
      const button = el('button', { type: 'button', class: 'small', id: `save-${format}` }, texts.saved[format]);
      button.addEventListener('click', () => void download(job, format));
      return button;
    });
    return el(
      'div',
      { class: 'saves', role: 'group', 'aria-label': texts.save },
      el('span', {}, texts.save),
      ...buttons,
      copy,
    );
  }

  async function download(job: TranscriptionJob, format: (typeof FORMATS)[number]): Promise<void> {
    const text = await api.text(`result/${job.taskId}/transcript?format=${format}`);
    const href = URL.createObjectURL(new Blob([text]));
    const name = `${job.file.name.replace(/\.[^.]+$/, '')}.${format}`;
    el('a', { href, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(href), 10_000);
  }

  return { show, follow: marks.follow };
}
