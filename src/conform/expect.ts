import { AssertionFailure } from './assertion-failure.ts';
import type { Exchange } from './exchange.ts';
import { anything, isRecord, listOf, matching, oneOf, record, type Shape, text } from './shape.ts';

export function assertStatus(response: Exchange, ...allowed: readonly number[]): void {
  if (!allowed.includes(response.status)) throw new AssertionFailure(`status ${allowed.join(' or ')}`, response);
}

export function assertShape(response: Exchange, value: unknown, shape: Shape, at: string): void {
  const wrong = shape(value, at);
  if (wrong !== undefined) throw new AssertionFailure(wrong, response);
}

export function assertThat(response: Exchange, condition: boolean, expected: string): void {
  if (!condition) throw new AssertionFailure(expected, response);
}

export function bodyOf(response: Exchange): Record<string, unknown> {
  if (!isRecord(response.json)) throw new AssertionFailure('a JSON object', response);
  return response.json;
}

export function successData(response: Exchange): unknown {
  const { ok, data } = bodyOf(response);
  if (ok !== true) throw new AssertionFailure('`ok` to be true', response);
  if (typeof data !== 'object' || data === null) throw new AssertionFailure('`data` to be present', response);
  return data;
}

export function successObject(response: Exchange): Record<string, unknown> {
  const found = successData(response);
  if (!isRecord(found)) throw new AssertionFailure('`data` to be an object', response);
  return found;
}

const code = matching(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/, 'an UPPER_SNAKE_CASE string');

export function assertErrorEnvelope(response: Exchange, expectedCode?: string): void {
  const error = record({ code: expectedCode === undefined ? code : oneOf(expectedCode), message: text });
  assertShape(response, response.json, record({ ok: oneOf(false), error }), 'the body');
}

export function assertLooseErrorEnvelope(response: Exchange): void {
  const error = record({ code, message: text });
  assertShape(response, response.json, record({ error }, { ok: oneOf(false) }), 'the body');
}

export function assertValidationBody(response: Exchange): void {
  const entry = record(
    { loc: listOf(anything), msg: text, type: text },
    { input: anything, ctx: (value, at) => (isRecord(value) ? undefined : `${at} to be an object`) },
  );
  assertErrorStatus(response);
  assertShape(response, response.json, record({ detail: listOf(entry) }), 'the body');
  assertThat(response, (bodyOf(response)['detail'] as unknown[]).length > 0, '`detail` to have an entry');
}

/** Asserts any error status, for errors without a specified one. */
export function assertErrorStatus(response: Exchange): void {
  assertThat(response, response.status >= 400 && response.status <= 599, 'an error status (400 to 599)');
}

export const isSuccess = ({ status: code }: Exchange) => code >= 200 && code < 300;
