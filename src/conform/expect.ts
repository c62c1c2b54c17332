import { Breach } from './breach.ts';
import type { Exchange } from './exchange.ts';
import { anything, isRecord, listOf, matching, oneOf, record, type Shape, text } from './shape.ts';

export function status(response: Exchange, ...allowed: readonly number[]): void {
  if (!allowed.includes(response.status)) throw new Breach(`status ${allowed.join(' or ')}`, response);
}

export function shaped(response: Exchange, value: unknown, shape: Shape, at: string): void {
  const wrong = shape(value, at);
  if (wrong !== undefined) throw new Breach(wrong, response);
}

export function holds(response: Exchange, condition: boolean, expected: string): void {
  if (!condition) throw new Breach(expected, response);
}

export function body(response: Exchange): Record<string, unknown> {
  if (!isRecord(response.json)) throw new Breach('a JSON object', response);
  return response.json;
}

export function data(response: Exchange): unknown {
  const { ok, data } = body(response);
  if (ok !== true) throw new Breach('`ok` to be true', response);
  if (typeof data !== 'object' || data === null) throw new Breach('`data` to be present', response);
  return data;
}

export function dataObject(response: Exchange): Record<string, unknown> {
  const found = data(response);
  if (!isRecord(found)) throw new Breach('`data` to be an object', response);
  return found;
}

const code = matching(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/, 'an UPPER_SNAKE_CASE string');

export function envelope(response: Exchange, expectedCode?: string): void {
  const error = record({ code: expectedCode === undefined ? code : oneOf(expectedCode), message: text });
  shaped(response, response.json, record({ ok: oneOf(false), error }), 'the body');
}

export function looseEnvelope(response: Exchange): void {
  const error = record({ code, message: text });
  shaped(response, response.json, record({ error }, { ok: oneOf(false) }), 'the body');
}

export function detail(response: Exchange): void {
  const entry = record(
    { loc: listOf(anything), msg: text, type: text },
    { input: anything, ctx: (value, at) => (isRecord(value) ? undefined : `${at} to be an object`) },
  );
  refused(response);
  shaped(response, response.json, record({ detail: listOf(entry) }), 'the body');
  holds(response, (body(response)['detail'] as unknown[]).length > 0, '`detail` to have an entry');
}

/** Asserts any error status, for errors without a specified one. */
export function refused(response: Exchange): void {
  holds(response, response.status >= 400 && response.status <= 599, 'an error status (400 to 599)');
}

export const isSuccess = ({ status: code }: Exchange) => code >= 200 && code < 300;
