import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openCsrf } from './csrf.ts';

const csrf = openCsrf('a secret');

describe('the word of a form', () => {
  it('holds for the session that it was made for, and is the same in every process', () => {
    const word = csrf.token('session-1');
    expect(word).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(openCsrf('a secret').token('session-1')).toBe(word);
    expect(csrf.holds('session-1', word)).toBe(true);
  });

  it('holds for no other session, and with no other secret', () => {
    expect(csrf.holds('session-2', csrf.token('session-1'))).toBe(false);
    expect(openCsrf('another secret').holds('session-1', csrf.token('session-1'))).toBe(false);
  });

  it('is none of the other things that the secret signs', () => {
    const plain = createHmac('sha256', 'a secret').update('session-1').digest('base64url');
    expect(csrf.holds('session-1', plain)).toBe(false);
  });

  it.each(['', ' ', 'x', 'я'.repeat(43), 'x'.repeat(100_000)])('is not %.20j', (given) => {
    expect(csrf.holds('session-1', given)).toBe(false);
  });

  it('holds only as it is written, from its first letter to its last', () => {
    const word = csrf.token('session-1');
    for (const given of [word.slice(1), word.slice(0, -1), `${word}=`, `${word} `, word.toUpperCase()]) {
      expect(csrf.holds('session-1', given)).toBe(false);
    }
  });
});
