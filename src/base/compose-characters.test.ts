import { describe, expect, it } from 'vitest';
import { composeCharacters } from './compose-characters.ts';

describe('composeCharacters', () => {
  it('composes letters and accents', () => {
    expect(composeCharacters('e\u0301 и\u0306 ﬁ', 'NFC')).toBe('é й ﬁ');
    expect(composeCharacters('ﬁ ² ｶﾞ', 'NFKC')).toBe('fi 2 ガ');
  });

  it('keeps at most 30 consecutive combining marks', () => {
    expect(composeCharacters(`x${'\u0316'.repeat(30)}y`, 'NFC')).toBe(`x${'\u0316'.repeat(30)}y`);
    expect(composeCharacters(`x${'\u0316'.repeat(31)}y`, 'NFC')).toBe(`x${'\u0316'.repeat(30)}y`);
    expect(composeCharacters(`x${'\uff9e'.repeat(40)}`, 'NFKC')).toHaveLength(31);
  });
});
