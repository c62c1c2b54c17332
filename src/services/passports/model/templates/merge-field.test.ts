import { describe, expect, it } from 'vitest';
import type { Field } from '../../extraction.ts';
import type { ReadPage } from '../../page-geometry.ts';
import { createFormDocument } from './form-document.ts';
import type { LessonField, LessonPart } from './lesson.ts';
import { mergeField } from './merge-field.ts';

const page: ReadPage = {
  ...{ page: 1, width: 600, height: 800, turn: 0, rules: [], reader: 'text' },
  words: [{ text: 'value', box: [0.1, 0.1, 0.2, 0.12], confidence: null }],
};

interface Case {
  readonly key: string;
  readonly reader: string;
  readonly confidence?: number;
  readonly template: string;
  readonly field?: Partial<LessonField>;
}

function merged({ key, reader, confidence = 0.9, template, field }: Case): Field['value'] {
  const document = createFormDocument([page]);
  const part = { by: 'place' } as LessonPart;
  const lesson = { key, parts: [part], literals: ['', ''], factor: 1, corrected: true, verified: true, ...field };
  const match = { score: 0.8, tokens: new Map(), constants: new Set<never>(), scales: [1] };
  const reading = { value: template, tokens: document.tokens, cost: 1, match, field: lesson };
  const own: Field = { value: reader, confidence, source: 'text', page: 1, bbox: null, text: reader };
  return mergeField(reading, own, document).value;
}

describe('the name of a person', () => {
  const key = 'general:head';

  it.each([
    ['Г. Ф. Ашихмина', 'Г.'],
    ['Кожемякин Д. С.', 'исполнитель'],
    ['Ewan Lauder', 'Ewan Lauder Director, Cheviot Energy'],
    ['L. T. BRENNAN', 'MUNICIPAL ENGINEER L. T. BRENNAN'],
    ['О.Ю.Белькова', '1 кат.'],
  ])('of the reader, %s, stands against %s at the place of the template', (reader, template) => {
    const read = (corrected: boolean, confidence: number) =>
      merged({ key, reader, confidence, template, field: { corrected } });
    expect(read(false, 0.3)).toBe(reader);
    expect(read(true, 0.6)).toBe(reader);
    expect(read(true, 0.3)).toBe(template);
  });

  it('is less than the name with the title that a person added on this form', () => {
    const titled = { key, reader: 'Осокин А. Т.', confidence: 0.6, template: 'инж. Осокин А. Т.' };
    expect(merged({ ...titled, field: { extended: true } })).toBe('инж. Осокин А. Т.');
    expect(merged(titled)).toBe('Осокин А. Т.');
  });

  it('is no word in capitals', () => {
    expect(merged({ key, reader: 'НАЧАЛЬНИК', confidence: 0.9, template: 'Иванов' })).toBe('Иванов');
  });

  it.each([
    ['подполковник Пахомов Л.', 'Пахомов Л.'],
    ['A. Penrose BSc FRICS', 'A. Penrose'],
    ['ККО Осокин А Т', 'Осокин А. Т.'],
  ])('at the place of the template stands against %s of the reader', (reader, template) => {
    expect(merged({ key, reader, confidence: 0.99, template, field: { corrected: false } })).toBe(template);
  });

  it('decides nothing in other fields', () => {
    const owner = 'Анжеро-Судженское предприятие';
    expect(merged({ key: 'general:owner', reader: 'Осокин А. Т.', template: owner })).toBe(owner);
  });
});

it('keeps a text of the reader where the template has a date or an initial, also on a corrected form', () => {
  const owner = (template: string, confidence: number) =>
    merged({ key: 'general:owner', reader: 'Саркисов Армен', confidence, template });
  expect(owner('15.02.2010', 0.6)).toBe('Саркисов Армен');
  expect(owner('Ч', 0.98)).toBe('Саркисов Армен');
  expect(owner('15.02.2010', 0.2)).toBe('15.02.2010');
});

it('keeps an address of the reader where that of the template has a kind without a name', () => {
  const parts = [{ by: 'place' }, { by: 'place' }] as LessonPart[];
  const [reader, template] = ['г. Среднеуральск, ул. Уральская, 28', 'г. Среднеуральск, ул., пос. Уральская, 28'];
  expect(merged({ key: 'general:address', reader, template, field: { parts } })).toBe(reader);
});

it('keeps more words of the reader at a place that ends where other values start', () => {
  const reader = 'Hill Street 12, units 5 and 9';
  const field = { corrected: false, verified: false, leans: true } as const;
  const read = (more?: Partial<LessonField>) =>
    merged({
      key: 'general:address',
      reader,
      confidence: 0.4,
      template: 'Hill Street 12',
      field: { ...field, ...more },
    });
  expect(read()).toBe(reader);
  expect(read({ shortened: true })).toBe('Hill Street 12');
});
