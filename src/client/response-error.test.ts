import { expect, it } from 'vitest';
import { retryAfterSeconds, toAssayError } from './response-error.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const errorFor = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  toAssayError(
    { status, headers: new Headers(headers), text: typeof body === 'string' ? body : JSON.stringify(body) },
    NOW,
  );

it('retryAfterSeconds reads seconds and dates and ignores other values', () => {
  const read = (value: string) => retryAfterSeconds(new Headers({ 'retry-after': value }), NOW);
  expect(read('17')).toBe(17);
  expect(read('Thu, 01 Jan 2026 00:00:30 GMT')).toBe(30);
  expect(read('Wed, 31 Dec 2025 00:00:00 GMT')).toBe(0);
  expect(read('soon')).toBeUndefined();
  expect(retryAfterSeconds(new Headers(), NOW)).toBeUndefined();
});

it('toAssayError takes code, message and request id from the envelope', () => {
  const error = { code: 'QUEUE_UNAVAILABLE', message: 'The store is away.', request_id: 'req-1' };
  expect(errorFor(503, { ok: false, error }, { 'retry-after': '5' })).toMatchObject({
    ...{ name: 'Unavailable', code: error.code, message: error.message, status: 503, requestId: 'req-1' },
    retryAfterSeconds: 5,
  });
});

it('toAssayError takes all entries of a detail body and names the first', () => {
  const detail = [
    { loc: ['query', 'limit'], msg: 'Input should be less than or equal to 200', type: 'less_than_equal' },
    { loc: ['query', 'page'], msg: 'Input should be a valid integer', type: 'int_parsing' },
  ];
  expect(errorFor(422, { detail }, { 'x-request-id': 'req-2' })).toMatchObject({
    ...{ name: 'ValidationProblem', code: 'VALIDATION_ERROR', requestId: 'req-2', details: detail },
    message: 'query.limit: Input should be less than or equal to 200',
  });
});

it('toAssayError handles responses of proxies', () => {
  expect(errorFor(502, '<html>Bad Gateway</html>')).toMatchObject({
    name: 'AssayError',
    code: 'HTTP_502',
    status: 502,
  });
  expect(errorFor(404, 'null')).toMatchObject({ name: 'NotFound', code: 'HTTP_404' });
  expect(errorFor(401, '')).toMatchObject({ name: 'Unauthorized', code: 'HTTP_401' });
});

it('toAssayError handles error bodies of other services', () => {
  for (const body of [
    { detail: 'Not Found' },
    { detail: [{ msg: 'no place' }] },
    { detail: [null] },
    { error: 'gone' },
  ]) {
    expect(errorFor(404, body)).toMatchObject({
      name: 'NotFound',
      code: 'HTTP_404',
      message: expect.stringContaining('status 404'),
    });
  }
});

it('toAssayError distinguishes an expired task from an unknown path', () => {
  const gone = { error: { code: 'TASK_NOT_FOUND', message: '' } };
  expect([errorFor(404, gone).name, errorFor(404, { error: { code: 'NOT_FOUND' } }).name]).toEqual([
    'TaskNotFound',
    'NotFound',
  ]);
});
