import { describe, expect, it } from 'vitest';
import { hasFigures, reconcileFigures } from './reconcile-figures.ts';

const reconcile = (text: string, second: string, confidence = 1) => {
  const word = { text, left: 0, top: 0, right: 9, bottom: 9, confidence: 0.96 };
  const result = reconcileFigures(word, { text: second, confidence });
  return [result.text, result.confidence];
};

describe('reconcileFigures', () => {
  it('keeps a number that is read twice, with its letters and punctuation', () => {
    expect(reconcile('17,3', '17,3')).toEqual(['17,3', 0.96]);
    expect(reconcile('12.04.1987г.', '12.04.1987r.')).toEqual(['12.04.1987г.', 0.96]);
    expect(reconcile('(11)', '11')).toEqual(['(11)', 0.96]);
  });

  it('adds a lost decimal comma', () => {
    expect(reconcile('142', '14,2')).toEqual(['14,2', 0.95]);
    expect(reconcile('(49),', '4.9')).toEqual(['(4.9),', 0.95]);
  });

  it('replaces figures and strokes', () => {
    expect(reconcile('25,5м', '23,5M')).toEqual(['23,5м', 0.95]);
    expect(reconcile('/954', '1954')).toEqual(['1954', 0.95]);
    expect(reconcile('199]', '1991')).toEqual(['1991', 0.95]);
    expect(reconcile('16,/', '16,1')).toEqual(['16,1', 0.95]);
    expect(reconcile('5/9', '5/9')).toEqual(['5/9', 0.96]);
  });

  it('keeps a decimal separator that is read as another mark', () => {
    expect(reconcile('21,4', '21;4')).toEqual(['21,4', 0.96]);
    expect(reconcile('21,4', '214')).toEqual(['21,4', 0.96]);
  });

  it('ignores a number that is cut off or has a neighbour in its image', () => {
    expect(reconcile('1986', '198')).toEqual(['1986', 0.96]);
    expect(reconcile('4.40', '4.403.10')).toEqual(['4.40', 0.96]);
    expect(reconcile('2.00', '2.00 1.10')).toEqual(['2.00', 0.96]);
  });

  it('lowers the confidence of other differences', () => {
    expect(reconcile('1147', '529')).toEqual(['1147', 0.55]);
  });

  it('ignores an uncertain reading, letters, and none', () => {
    expect(reconcile('25,5', '26,5', 0.8)).toEqual(['25,5', 0.96]);
    expect(reconcile('9104', '91D4')).toEqual(['9104', 0.96]);
    expect(reconcile('25', '', 0)).toEqual(['25', 0.96]);
  });
});

it('hasFigures accepts numbers of two characters, also beside letters', () => {
  expect(['15', '2,1', '25,5м', '№12', '1]', '(10)'].filter((text) => !hasFigures(text))).toEqual([]);
  expect(['7', 'д.', 'А1Б2', '18.VI.1968', '[]', '(5)'].filter((text) => hasFigures(text))).toEqual([]);
});
