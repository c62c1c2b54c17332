import type { Api } from '../../../ui/browser/api.ts';
import { copies } from '../../../ui/browser/copy.ts';
import { byId, el, fill } from '../../../ui/browser/dom.ts';
import { lost } from '../../../ui/browser/errand-views.ts';
import { type Mark, openMarks } from '../../../ui/browser/marks.ts';
import { gapOf, type Paragraph, paragraphs } from '../../../ui/browser/paragraphs.ts';
import { taskDetails } from '../../../ui/browser/task-details.ts';
import type { Hearing } from './hearing.ts';
import type { Words } from './words.ts';

type Result = NonNullable<NonNullable<Hearing['state']>['result']>;

const FORMATS = ['txt', 'srt', 'vtt', 'json'] as const;

export interface TranscriptView {
  show(it: Hearing): void;
  /** Marks the word that is heard at this second. */
  follow(seconds: number, playing: boolean): void;
}

/** The text with its times: a click on a word, or a press of a paragraph's button, plays from there. */
export function openTranscript(api: Api, words: Words, onPlay: (seconds: number) => void): TranscriptView {
  const { texts, ui } = words;
  const outcome = byId('outcome');
  const marks = openMarks();

  outcome.addEventListener('click', ({ target }) => {
    const at = (target as HTMLElement).closest<HTMLElement>('[data-at]')?.dataset['at'];
    if (at !== undefined) onPlay(Number(at));
  });

  function show(it: Hearing): void {
    marks.set([]);
    const { result } = it.state ?? {};
    outcome.hidden = it.stage !== 'done' && it.stage !== 'failed' && it.stage !== 'cancelled';
    outcome.replaceChildren();
    if (outcome.hidden) return;
    outcome.append(...(it.stage === 'done' && result ? heard(it, result) : lost(it, words)));
    if (it.taskId !== undefined) outcome.append(details(it, it.taskId));
  }

  function heard(it: Hearing, result: Result): HTMLElement[] {
    const head = el(
      'div',
      { class: 'verdict', 'data-sound': String(result.transcription !== '') },
      el('h2', { id: 'verdict' }, result.transcription === '' ? texts.nothing : texts.transcript),
      el('p', { class: 'surface' }, words.facts(result)),
    );
    if (result.transcription === '') return [head];
    const text = el('div', { class: 'transcript', lang: result.language ?? '', id: 'transcript' });
    const heard: Mark[] = [];
    const all = paragraphs(result.segments ?? [], result.words);
    text.append(...all.map((one) => paragraph(one, result, heard)));
    marks.set(heard);
    return [head, saves(it, result), text];
  }

  function paragraph({ segment, parts }: Paragraph, { language }: Result, heard: Mark[]): HTMLElement {
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
    const space = gapOf(language);
    const line = el('span', { class: 'line' });
    for (const part of parts) {
      const element = el('span', { class: 'word', 'data-at': String(part.start) }, part.text);
      heard.push({ start: part.start, end: part.end, element });
      line.append(element, space);
    }
    return el('p', {}, button, line);
  }

  function saves(it: Hearing, result: Result): HTMLElement {
    const copy = el('button', { type: 'button', class: 'small' }, texts.copyText);
    copies(copy, () => result.transcription, { copy: texts.copyText, copied: ui.copied });
    const buttons = FORMATS.map((format) => {
      const button = el('button', { type: 'button', class: 'small', id: `save-${format}` }, texts.saved[format]);
      button.addEventListener('click', () => void save(it, format));
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

  async function save(it: Hearing, format: (typeof FORMATS)[number]): Promise<void> {
    const text = await api.text(`result/${it.taskId}/transcript?format=${format}`);
    const href = URL.createObjectURL(new Blob([text]));
    const name = `${it.file.name.replace(/\.[^.]+$/, '')}.${format}`;
    el('a', { href, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(href), 10_000);
  }

  function details(it: Hearing, id: string): HTMLElement {
    const { processing_time_ms: ms, result } = it.state ?? {};
    return taskDetails(id, it.state, {
      ui,
      texts,
      facts: [
        ...(result === undefined ? [] : [[texts.engine, result.service] as const]),
        ...(ms === undefined ? [] : [[texts.work, words.numbers.duration(ms)] as const]),
      ],
    });
  }

  return { show, follow: marks.follow };
}
