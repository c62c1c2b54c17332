import { describe, expect, it } from 'vitest';
import type { Recorded } from '../result.ts';
import { type Cue, createCues } from './cues.ts';
import { FORMATS, srt, vtt } from './formats.ts';

const LONG =
  'The inspection of the northern stairwell began at nine in the morning and went on until the late afternoon because the lift was out of order and every single sensor had to be carried up by hand.';

/** Words of equal duration. */
const timed = (text: string, start: number, end: number) => {
  const parts = text.split(' ');
  const each = (end - start) / parts.length;
  return parts.map((part, index) => ({ text: part, start: start + each * index, end: start + each * (index + 1) }));
};
const recorded = (over: Partial<Recorded>): Recorded => ({
  transcription: '',
  service: 'local',
  duration_seconds: 60,
  segments: [],
  ...over,
});
const textOf = (cues: readonly Cue[], space = ' ') => cues.map(({ lines }) => lines.join(space)).join(space);

function expectWithinLimits(cues: readonly Cue[]): void {
  for (const [index, { start, end, lines }] of cues.entries()) {
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.length).toBeLessThanOrEqual(2);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(42);
    expect(end).toBeGreaterThan(start);
    expect(end - start).toBeLessThanOrEqual(7 + 1e-9);
    if (index > 0) expect(start).toBeGreaterThanOrEqual(cues[index - 1]!.end - 1e-9);
  }
}

describe('cuesOf', () => {
  it('splits a word of 2000 emoji between graphemes', () => {
    const text = '👨‍👩‍👧'.repeat(2000);
    const cues = createCues(recorded({ segments: [{ start: 0, end: 600, text }] }));
    expectWithinLimits(cues);
    const lines = cues.flatMap((cue) => cue.lines);
    expect(lines.join('')).toBe(text);
    for (const line of lines) expect(line.replaceAll('👨‍👩‍👧', '')).toBe('');
  });

  it.each([
    ['with word times', timed(LONG, 1, 14)],
    ['without word times', undefined],
  ])('splits a long segment into cues of two lines of 42 characters and 7 s, %s', (_, words) => {
    const segments = [{ start: 1, end: 14, text: LONG }];
    const cues = createCues({ segments, ...(words && { words }) });
    expectWithinLimits(cues);
    expect(textOf(cues)).toBe(LONG);
    expect(cues[0]!.start).toBe(1);
    expect(cues.at(-1)!.end).toBeCloseTo(14, 6);
  });

  it('limits cues to 7 s for slow speech', () => {
    const text = 'One two three four five six';
    const cues = createCues({ segments: [{ start: 0, end: 30, text }], words: timed(text, 0, 30) });
    expectWithinLimits(cues);
    expect(cues.map(({ lines }) => lines)).toEqual([['One'], ['two'], ['three'], ['four'], ['five'], ['six']]);
    const single = createCues({ segments: [{ start: 0, end: 30, text: 'Ohm' }] });
    expect(single).toEqual([{ start: 0, end: 7, lines: ['Ohm'] }]);
  });

  it('keeps words without duration at the edge of a segment', () => {
    const segments = [
      { start: 0, end: 2, text: 'One two.' },
      { start: 2, end: 2, text: 'Three.' },
      { start: 3, end: 4, text: 'Four.' },
    ];
    const words = [
      { text: 'One', start: 0, end: 2 },
      { text: 'two.', start: 2, end: 2 },
      { text: 'Three.', start: 2, end: 2 },
      { text: 'Four.', start: 4, end: 4 },
    ];
    expect(textOf(createCues({ segments, words })).split(' ')).toEqual(
      expect.arrayContaining(['two.', 'Three.', 'Four.']),
    );
  });

  it('starts a new cue after a pause and after a sentence longer than a line', () => {
    const words = [...timed('Yes I see it', 0, 1), ...timed('and there is more', 3, 4)];
    const paused = createCues({ segments: [{ start: 0, end: 4, text: 'Yes I see it and there is more' }], words });
    expect(paused.map(({ lines }) => lines.join(' '))).toEqual(['Yes I see it', 'and there is more']);

    const text = 'The crack runs from the window to the ceiling. It is new.';
    const sentences = createCues({ segments: [{ start: 0, end: 4, text }], words: timed(text, 0, 4) });
    expect(textOf([sentences[1]!])).toBe('It is new.');
  });

  it('balances the lengths of two lines', () => {
    const text = 'The northern wall of the house shows a crack in it';
    const [cue] = createCues({ segments: [{ start: 0, end: 3, text }] });
    const [first, second] = cue!.lines.map((line) => line.length);
    expect(Math.abs(first! - second!)).toBeLessThan(10);
  });

  it('splits words longer than a line, and text in languages without spaces', () => {
    const word = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';
    const cues = createCues({ segments: [{ start: 0, end: 5, text: `Die ${word} tagt.` }] });
    expectWithinLimits(cues);
    expect(textOf(cues, '').replaceAll(' ', '')).toBe(`Die${word}tagt.`);

    const japanese = '壁の北側に長いひび割れが見つかりました。'.repeat(6);
    const unspaced = createCues({ segments: [{ start: 0, end: 20, text: japanese }], language: 'ja' });
    expectWithinLimits(unspaced);
    expect(textOf(unspaced, '')).toBe(japanese);
  });

  it('removes overlaps between cues', () => {
    const segments = [
      { start: 0, end: 3, text: 'One.' },
      { start: 2.5, end: 4, text: 'Two.' },
    ];
    expect(createCues({ segments }).map(({ start, end }) => [start, end])).toEqual([
      [0, 2.5],
      [2.5, 4],
    ]);
  });

  it('returns no cues for an empty transcript', () => {
    expect(createCues({ segments: [] })).toEqual([]);
    expect(FORMATS.srt.write(recorded({}))).toBe('');
    expect(FORMATS.vtt.write(recorded({}))).toBe('WEBVTT\n');
  });
});

const CUES: Cue[] = [
  { start: 0.04, end: 1.5, lines: ['a < b & c > d', 'e --> f'] },
  { start: 3661.0004, end: 3662.9999, lines: ['Second.'] },
];

it('srt numbers the cues and writes a comma before the milliseconds', () => {
  expect(srt(CUES)).toBe(
    '1\n00:00:00,040 --> 00:00:01,500\na < b & c > d\ne → f\n\n2\n01:01:01,000 --> 01:01:03,000\nSecond.\n',
  );
});

it('vtt escapes markup and writes the language', () => {
  expect(vtt(CUES, 'en')).toBe(
    'WEBVTT\nLanguage: en\n\n00:00:00.040 --> 00:00:01.500\na &lt; b &amp; c &gt; d\ne --&gt; f\n\n01:01:01.000 --> 01:01:03.000\nSecond.\n',
  );
});

it('the txt format writes the transcription', () => {
  expect(FORMATS.txt.write(recorded({ transcription: 'Hello.' }))).toBe('Hello.\n');
});

it('cuesOf assigns every word to its segment', () => {
  const segments = [
    { start: 0, end: 2, text: 'One two.' },
    { start: 2, end: 4, text: 'No times here.' },
    { start: 5, end: 7, text: 'Three four.' },
  ];
  const words = [...timed('One two.', 0, 2), ...timed('Three four.', 5, 7)];
  expect(createCues({ segments, words }).map(({ start, end, lines }) => [start, end, ...lines])).toEqual([
    [0, 2, 'One two.'],
    [2, 4, 'No times here.'],
    [5, 7, 'Three four.'],
  ]);
});
