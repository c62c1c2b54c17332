import { describe, expect, it } from 'vitest';
import { hasFigures, reconcileFigures } from './reconcile-figures.ts';

const reconcile = (text: string, second: string, confidence = 1) => {
  const word = { text, left: 0, top: 0, right: 9, bottom: 9, confidence: 0.96 };
  const result = reconcileFigures(word, { text: second, confidence });
  return [result.text, result.confidence];
};
const isKept = ([text, second]: readonly [string, string]) => {
  const [after, confidence] = reconcile(text, second);
  return after === text && confidence === 0.96;
};

describe('reconcileFigures', () => {
  it('keeps a number that is read twice, with its letters and punctuation', () => {
    const pairs = [
      ...([
        ['17,3', '17,3'],
        ['12.04.1987г.', '12.04.1987r.'],
        ['(11)', '11'],
        ['5/9', '5/9'],
      ] as const),
      ...([
        ['1995–1997', '1995-1997'],
        ['№12', 'No12'],
        ['18-б', '18-6'],
      ] as const),
    ];
    expect(pairs.filter((pair) => !isKept(pair))).toEqual([]);
  });

  it('adds a lost decimal comma', () => {
    expect(reconcile('142', '14,2')).toEqual(['14,2', 0.95]);
    expect(reconcile('(49),', '4.9')).toEqual(['(4.9),', 0.95]);
    expect(reconcile('16;6', '16,6')).toEqual(['16,6', 0.95]);
  });

  it('replaces misread figures, and strokes that are a 1', () => {
    expect(reconcile('25,5м', '23,5M')).toEqual(['23,5м', 0.95]);
    expect(reconcile('1:5513', '1:3313')).toEqual(['1:3313', 0.95]);
    expect(reconcile('/954', '1954')).toEqual(['1954', 0.95]);
    expect(reconcile('199]', '1991')).toEqual(['1991', 0.95]);
    expect(reconcile('16,/', '16,1')).toEqual(['16,1', 0.95]);
  });

  it('keeps separators that are read as others or not at all', () => {
    const pairs = [
      ...([
        ['21,4', '21;4'],
        ['21,4', '214'],
        ['46:12:01', '46.12.01'],
        ['1-3', '1.3'],
        ['1,234', '1.234'],
      ] as const),
      ...([
        ['12.04.1987', '12.041987'],
        ['3,45×4,20', '3,454,20'],
        ['142', '1-42'],
        ['12|13,5', '12113,5'],
      ] as const),
    ];
    expect(pairs.filter((pair) => !isKept(pair))).toEqual([]);
  });

  it('ignores a number that is cut off, or has a neighbour or letters in its image', () => {
    const pairs = [
      ...([
        ['1986', '198'],
        ['4.40', '4.403.10'],
        ['2.00', '2.00 1.10'],
        ['1204,75', '204,75'],
      ] as const),
      ...([
        ['з.12', '3.12'],
        ['б12', '612'],
        ['25|', '251'],
        ['7]', '71'],
      ] as const),
    ];
    expect(pairs.filter((pair) => !isKept(pair))).toEqual([]);
  });

  it('lowers the confidence of other differences', () => {
    expect(reconcile('1147', '529')).toEqual(['1147', 0.55]);
    expect(reconcile('5/9', '519')).toEqual(['5/9', 0.55]);
    expect(reconcile('[12]', '1121')).toEqual(['[12]', 0.55]);
    expect(reconcile('1234', '1299')).toEqual(['1234', 0.55]);
  });

  it('ignores an uncertain reading, letters, and none', () => {
    expect(reconcile('25,5', '26,5', 0.8)).toEqual(['25,5', 0.96]);
    expect(reconcile('9104', '91D4')).toEqual(['9104', 0.96]);
    expect(reconcile('25', '', 0)).toEqual(['25', 0.96]);
  });
});

it('hasFigures accepts numbers of two characters and more, also beside letters', () => {
  expect(['15', '2,1', '25,5м', '№12', '19]', '(10)', '16;6'].filter((text) => !hasFigures(text))).toEqual([]);
  expect(['7', 'д.', 'А1Б2', '18.VI.1968', '[]', '(5)', '3×4'].filter((text) => hasFigures(text))).toEqual([]);
});
