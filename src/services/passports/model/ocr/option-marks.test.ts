import { expect, it } from 'vitest';
import type { LineWord } from './ocr-engine.ts';
import { restoreMarks } from './option-marks.ts';

/** Words of 10 pixels per letter, 10 pixels apart, with a confidence of 0.3. */
function line(text: string): LineWord[] {
  let left = 0;
  return text.split(' ').map((word) => {
    const right = left + 10 * word.length;
    const placed = { text: word, left, top: 0, right, bottom: 20, confidence: 0.3 };
    left = right + 10;
    return placed;
  });
}

const restore = (text: string) => restoreMarks(line(text)).map((word) => `${word.text} ${word.confidence}`);

it('restoreMarks raises the confidence of empty brackets', () => {
  expect(restore('{ ] Wood')).toEqual(['[ 0.6', '] 0.6', 'Wood 0.3']);
  expect(restore('[_ } Wood')).toEqual(['[ 0.6', '] 0.6', 'Wood 0.3']);
});

it('restoreMarks corrects a bracket of a marked option, and raises its confidence', () => {
  expect(restore('(X] Wood [х} Steel')).toEqual(['[X] 0.6', 'Wood 0.3', '[х] 0.6', 'Steel 0.3']);
  expect(restore('[X}] Wood [X] Steel')).toEqual(['[X] 0.6', 'Wood 0.3', '[X] 0.6', 'Steel 0.3']);
});

it('restoreMarks leaves other brackets', () => {
  expect(restore('( ) (X) [ Wood ]')).toEqual(['( 0.3', ') 0.3', '(X) 0.3', '[ 0.3', 'Wood 0.3', '] 0.3']);
  const [open, close] = line('[ ]');
  const far = { ...close!, left: 100, right: 110 };
  expect(restoreMarks([open!, far]).map(({ confidence }) => confidence)).toEqual([0.3, 0.3]);
});
