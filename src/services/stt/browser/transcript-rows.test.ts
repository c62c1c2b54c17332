import { describe, expect, it } from 'vitest';
import { RequestError } from '../../../ui/browser/requests.ts';
import { correctedTerms } from './corrected-terms.ts';
import { confirmWord, isDoubtful, keptWords, mergeRows, partsOf, rowsOf, splitRow } from './transcript-rows.ts';
import { createTermStore } from './vocabulary-offers.ts';

const word = (text: string, start: number, index = 0) => ({ text, start, end: start + 0.5, index });
const WORDS = [word('One', 0.9), word('two', 1.5, 1), word('three', 3, 2)];
const [ROW] = rowsOf([{ start: 1, end: 4, text: 'One two three' }], WORDS) as [ReturnType<typeof rowsOf>[0]];

describe('splitRow', () => {
  it('divides text and words at the time of the next word', () => {
    const [first, second] = splitRow(ROW, 8, ' ')!;
    expect(first).toEqual({ segment: { start: 1, end: 3, text: 'One two' }, words: WORDS.slice(0, 2) });
    expect(second).toEqual({ segment: { start: 3, end: 4, text: 'three' }, words: WORDS.slice(2) });
    expect(mergeRows(first, second, ' ')).toEqual(ROW);
  });

  it('divides the time of several corrected words by the length of their text', () => {
    const row = { ...ROW, segment: { ...ROW.segment, text: 'One four five three' } };
    expect(splitRow(row, 8, ' ')!.map(({ segment }) => segment)).toEqual([
      { start: 1, end: 2.2, text: 'One four' },
      { start: 2.2, end: 4, text: 'five three' },
    ]);
    expect(splitRow(row, 3, ' ')![0].segment.end).toBe(1.4);
  });

  it('divides the time by the length of the text if it was corrected', () => {
    const [first] = splitRow({ ...ROW, segment: { ...ROW.segment, text: 'aaaa bbbb bb' } }, 4, ' ')!;
    expect(first.segment).toEqual({ start: 1, end: 2, text: 'aaaa' });
  });

  it.each([
    [5, 'One', 'two three'],
    [6, 'One two', 'three'],
    [9, 'One two', 'three'],
    [12, 'One two', 'three'],
    [1, 'One', 'two three'],
  ])('divides at the nearest boundary between words at offset %i, and merging restores the row', (offset, ...texts) => {
    const [first, second] = splitRow(ROW, offset, ' ')!;
    expect([first.segment.text, second.segment.text]).toEqual(texts);
    expect([first, second].map(({ words }) => words.map(({ text }) => text).join(' '))).toEqual(texts);
    expect(mergeRows(first, second, ' ')).toEqual(ROW);
  });

  it('divides at the cursor in a language without spaces', () => {
    const [row] = rowsOf([{ start: 1, end: 4, text: '北墙漏水' }]) as [typeof ROW];
    const [first, second] = splitRow(row, 3, '')!;
    expect([first.segment.text, second.segment.text]).toEqual(['北墙漏', '水']);
    expect(mergeRows(first, second, '')).toEqual(row);
  });

  it('is undefined within a single word', () => {
    expect(splitRow({ ...ROW, segment: { ...ROW.segment, text: 'One' } }, 1, ' ')).toBeUndefined();
  });

  it.each([0, 13])('is undefined at offset %i, because one side would be empty', (offset) => {
    expect(splitRow(ROW, offset, ' ')).toBeUndefined();
  });
});

it('confirmWord removes the doubt about one word, also after a split and a merge', () => {
  const words = WORDS.map((each) => ({ ...each, confidence: 0.2 }));
  const [one, , three] = words as [(typeof words)[0], (typeof words)[0], (typeof words)[0]];
  const row = confirmWord(confirmWord({ ...ROW, words }, three), one);
  expect(words.map((each) => isDoubtful(row, each))).toEqual([false, true, false]);
  expect(row.segment.confirmed).toEqual([0, 2]);
  const [first, second] = splitRow(row, 8, ' ')!;
  expect([first.segment.confirmed, second.segment.confirmed]).toEqual([[0], [2]]);
  expect(mergeRows(first, second, ' ')).toEqual(row);
});

it('confirmWord confirms one of two words with the same start', () => {
  const words = WORDS.map((each) => ({ ...each, start: 1, confidence: 0.2 }));
  const row = confirmWord({ ...ROW, words }, words[1]!);
  expect(words.map((each) => isDoubtful(row, each))).toEqual([true, false, true]);
});

it('rowsOf removes the confirmations of words of other segments', () => {
  const [first, second] = splitRow(ROW, 8, ' ')!;
  const confirmed = [0, 2];
  const rows = rowsOf(
    [
      { ...first.segment, confirmed },
      { ...second.segment, confirmed },
    ],
    WORDS,
  );
  expect(rows.map(({ segment }) => segment.confirmed)).toEqual([[0], [2]]);
});

it('keptWords are without those of removed segments, also of a removed half', () => {
  const segments = [
    { start: 1, end: 3, text: 'One two' },
    { start: 3, end: 4, text: 'three' },
    { start: 4, end: 5, text: 'four' },
  ];
  const original = { segments, words: [...WORDS, word('four', 3.9, 3)] };
  const [first, second, third] = segments as [(typeof segments)[0], (typeof segments)[0], (typeof segments)[0]];
  const kept = (...corrected: typeof segments) => keptWords(original, corrected).map(({ text }) => text);
  expect(kept(...segments)).toEqual(['One', 'two', 'three', 'four']);
  expect(kept(first, third)).toEqual(['One', 'two', 'four']);
  expect(kept({ ...first, start: 1.5 }, second, third)).toEqual(['two', 'three', 'four']);
  expect(kept({ ...first, end: 5 })).toEqual(['One', 'two', 'three', 'four']);
  expect(kept()).toEqual([]);
});

it('partsOf keeps the words around edited ones', () => {
  expect(partsOf(ROW)).toEqual(WORDS);
  const corrected = { ...ROW.segment, text: 'Only trees' };
  expect(partsOf({ ...ROW, segment: corrected })).toEqual([corrected]);
  const parts = (text: string) => partsOf({ ...ROW, segment: { ...ROW.segment, text } });
  const [one, two, three] = WORDS;
  expect(parts('One 2 or 3 three')).toEqual([one, { start: 1.4, end: 3, text: '2 or 3' }, three]);
  expect(parts('One two four five')).toEqual([one, two, { start: 2, end: 4, text: 'four five' }]);
  expect(parts('One three')).toEqual([one, three]);
  expect(parts('One two two three')).toEqual([one, two, { start: 2, end: 3, text: 'two' }, three]);
});

it.each<[string, string, string[]]>([
  ['is treated with shot creed.', 'is treated with shotcrete.', ['shotcrete']],
  ['ask Mr Smith now', 'ask Mr Smythe now', ['Smythe']],
  ['ask Mr Smith of the sea meant plant now', 'ask Mr Smythe of the cement plant now', ['Smythe', 'cement']],
  ['the wall', 'The wall', []],
  ['the wall', 'the north wall', []],
  ['one two three four', 'five six seven eight', []],
  ['заменить стежку', 'заменить «стяжку»).', ['стяжку']],
])('correctedTerms between "%s" and "%s" are %s', (before, after, terms) => {
  expect(correctedTerms(before.split(' '), after.split(' '))).toEqual(terms);
});

it('createTermStore keeps the terms of two quick clicks in each of two pages', async () => {
  let terms: readonly { term: string }[] = [];
  let version = 0;
  const call = async (_: string, { json, headers }: { json?: unknown; headers?: Record<string, string> } = {}) => {
    const read = { terms, version: String(version) };
    await Promise.resolve();
    if (json === undefined) return read;
    if (headers?.['if-match'] !== `"${version}"`) throw new RequestError(412, 'changed', {} as never);
    version++;
    ({ terms } = json as { terms: typeof terms });
    return undefined;
  };
  const pages = [1, 2].map(() => createTermStore({ call: call as never }));
  await Promise.all(pages.flatMap((store, page) => ['one', 'two'].map((term) => store(`${term} ${page}`))));
  expect(terms.map(({ term }) => term).sort()).toEqual(['one 0', 'one 1', 'two 0', 'two 1']);
});

it('createTermStore fails if the vocabulary has changed at each of ten tries', async () => {
  let writes = 0;
  const call = async (_: string, { json }: { json?: unknown } = {}) => {
    if (json === undefined) return { terms: [], version: '1' };
    if (++writes > 100) return undefined;
    throw new RequestError(412, 'changed', {} as never);
  };
  await expect(createTermStore({ call: call as never })('one')).rejects.toThrow('changed');
  expect(writes).toBe(10);
});
