import { describe, expect, it } from 'vitest';
import type { Field } from '../../../src/services/passports/extraction.ts';
import { flattenTruth } from './blind-forms.ts';
import { bandFrom, countBands, sumBands } from './confidence-bands.ts';
import { confirm } from './confirm.ts';

const read = (value: Field['value'], confidence: number): Field => ({
  ...{ value, confidence, source: 'text', page: 1, bbox: [0, 0, 0.1, 0.1], text: String(value) },
});

describe('The truth of a blind form', () => {
  it('names the cells of rooms by keys of the schema, with numbers of rooms as text', () => {
    const truth = flattenTruth({
      values: { 'general:floor': 3 },
      accept: { 'general:floor': ['third'] },
      rooms: [
        { no: '1', area: 12.5 },
        { no: 2, area: 4 },
      ],
    });
    expect(truth).toEqual({
      values: { 'general:floor': 3, 'rooms:1.no': '1', 'rooms:1.area': 12.5, 'rooms:2.no': '2', 'rooms:2.area': 4 },
      accept: { 'general:floor': ['third'] },
    });
  });
});

describe('Confidence bands', () => {
  const truth = { values: { 'general:floor': 3, 'general:owner': 'Ann', 'rooms:1.area': 4 } };
  const bands = countBands(
    {
      'general:floor': read(3, 0.99),
      'general:owner': read('Bob', 0.96),
      'general:year_built': read(1950, 0.5),
      'rooms:1.area': read(5, 0.99),
      'notes:text': read('A note', 0.99),
      'general:purpose': read(null, 0.99),
    },
    truth,
  );

  it('count values outside tables, and values that are not printed as wrong', () => {
    expect(bands.filter((band) => band.read > 0)).toEqual([
      { from: 0.99, read: 1, right: 1 },
      { from: 0.95, read: 1, right: 0 },
      { from: 0, read: 1, right: 0 },
    ]);
  });

  it('are summed over documents and from a limit on', () => {
    expect(bandFrom(sumBands([bands, bands]), 0.95)).toEqual({ from: 0.95, read: 4, right: 2 });
  });
});

describe('A completely corrected document', () => {
  it('keeps right values, replaces wrong ones, adds missing ones and clears others', () => {
    const fields = {
      'general:floor': read(3, 0.9),
      'general:owner': read('Bob', 0.9),
      'general:year_built': read(1950, 0.9),
    };
    const values = confirm(fields, { values: { 'general:floor': 3, 'general:owner': 'Ann', 'general:floors': 5 } });
    expect(values.map(({ key, value, original, edited }) => [key, value, original, edited])).toEqual([
      ['general:floor', 3, 3, false],
      ['general:owner', 'Ann', 'Bob', true],
      ['general:year_built', null, 1950, true],
      ['general:floors', 5, null, true],
    ]);
  });
});
