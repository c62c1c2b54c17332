import { describe, expect, it } from 'vitest';
import { parseTermLines } from './browser/term-lines.ts';
import { parseTerms } from './parse-terms.ts';
import { mergeTerms } from './vocabulary.ts';

describe('parseTerms', () => {
  it('normalizes terms and drops repetitions', () => {
    expect(
      parseTerms('terms', ['  gusset   plate', 'lintel', { term: 'lintel', spoken: ['lin tel', 'lin tel'] }]),
    ).toEqual([{ term: 'gusset plate' }, { term: 'lintel', spoken: ['lin tel'] }]);
  });

  it.each<[string, unknown, RegExp]>([
    ['a term of 10 000 characters', 'x'.repeat(10_000), /^terms\.0: longer than 100 characters \(10000\)\.$/],
    ['an empty term', ' ', /^terms\.0: a term needs/],
    ['a term without letters', '***', /^terms\.0: a term needs/],
    ['a control character', 'a\u0000b', /^terms\.0: contains control/],
    ['a long spoken form', { term: 'a', spoken: ['b', 'x'.repeat(101)] }, /^terms\.0\.spoken\.1: longer/],
  ])('rejects %s', (_, term, message) => {
    expect(() => parseTerms('terms', [term as string])).toThrow(message);
  });
});

describe('mergeTerms', () => {
  it('keeps the terms of the request and fills up with those of the credential', () => {
    const terms = (count: number, name: string) => Array.from({ length: count }, (_, i) => ({ term: `${name}${i}` }));
    const merged = mergeTerms([{ term: 'b1', spoken: ['be one'] }, ...terms(600, 'a')], terms(600, 'b'));
    expect(merged).toHaveLength(1000);
    expect(merged[0]).toEqual({ term: 'b1', spoken: ['be one'] });
    expect(merged.filter(({ term }) => term === 'b1')).toHaveLength(1);
    expect(merged.at(-1)).toEqual({ term: 'b399' });
  });
});

describe('parseTermLines', () => {
  it('reads a term per line with spoken forms', () => {
    expect(parseTermLines('lintel\r\n\n nginx = engine x, engine eks \n')).toEqual([
      { term: 'lintel', spoken: [] },
      { term: 'nginx', spoken: ['engine x', 'engine eks'] },
    ]);
  });
});
