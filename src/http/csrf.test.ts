import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createCsrf } from './csrf.ts';

const csrf = createCsrf('a secret');

describe('the CSRF token', () => {
  it('is valid for its session and the same in every process', () => {
    const token = csrf.token('session-1');
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(createCsrf('a secret').token('session-1')).toBe(token);
    expect(csrf.isValid('session-1', token)).toBe(true);
  });

  it('is invalid for another session or another secret', () => {
    expect(csrf.isValid('session-2', csrf.token('session-1'))).toBe(false);
    expect(createCsrf('another secret').isValid('session-1', csrf.token('session-1'))).toBe(false);
  });

  it('differs from other signatures with the same secret', () => {
    const plain = createHmac('sha256', 'a secret').update('session-1').digest('base64url');
    expect(csrf.isValid('session-1', plain)).toBe(false);
  });

  it.each(['', ' ', 'x', 'я'.repeat(43), 'x'.repeat(100_000)])('is not %.20j', (candidate) => {
    expect(csrf.isValid('session-1', candidate)).toBe(false);
  });

  it('is invalid if any character differs', () => {
    const token = csrf.token('session-1');
    for (const candidate of [token.slice(1), token.slice(0, -1), `${token}=`, `${token} `, token.toUpperCase()]) {
      expect(csrf.isValid('session-1', candidate)).toBe(false);
    }
  });
});
