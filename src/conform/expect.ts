import { Breach } from './breach.ts';
import type { Exchange } from './exchange.ts';
import { anything, isRecord, listOf, matching, oneOf, record, type Shape, text } from './shape.ts';

/** Throws a `Breach` unless the answer has one of these statuses. */
export function status(answer: Exchange, ...allowed: readonly number[]): void {
  if (!allowed.includes(answer.status)) throw new Breach(`status ${allowed.join(' or ')}`, answer);
}

/** Throws a `Breach` unless this part of the answer has that shape. */
export function shaped(answer: Exchange, value: unknown, shape: Shape, at: string): void {
  const wrong = shape(value, at);
  if (wrong !== undefined) throw new Breach(wrong, answer);
}

/** Throws a `Breach` with these words where the condition does not hold. */
export function holds(answer: Exchange, condition: boolean, expected: string): void {
  if (!condition) throw new Breach(expected, answer);
}

/** The answer's body as an object. */
export function body(answer: Exchange): Record<string, unknown> {
  if (!isRecord(answer.json)) throw new Breach('a JSON object', answer);
  return answer.json;
}

/** The `data` of a success. */
export function data(answer: Exchange): unknown {
  const { ok, data } = body(answer);
  if (ok !== true) throw new Breach('`ok` to be true', answer);
  if (typeof data !== 'object' || data === null) throw new Breach('`data` to be there', answer);
  return data;
}

/** The `data` of a success that is an object. */
export function dataObject(answer: Exchange): Record<string, unknown> {
  const found = data(answer);
  if (!isRecord(found)) throw new Breach('`data` to be an object', answer);
  return found;
}

const code = matching(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/, 'an UPPER_SNAKE_CASE string');

/** The error envelope of defectoscopy and STT, with this code where one is named. */
export function envelope(answer: Exchange, named?: string): void {
  const error = record({ code: named === undefined ? code : oneOf(named), message: text });
  shaped(answer, answer.json, record({ ok: oneOf(false), error }), 'the body');
}

/** The error envelope of passports, in which `ok` is optional. */
export function looseEnvelope(answer: Exchange): void {
  const error = record({ code, message: text });
  shaped(answer, answer.json, record({ error }, { ok: oneOf(false) }), 'the body');
}

/** The body of a validation failure of passports. */
export function detail(answer: Exchange): void {
  const fault = record(
    { loc: listOf(anything), msg: text, type: text },
    { input: anything, ctx: (value, at) => (isRecord(value) ? undefined : `${at} to be an object`) },
  );
  refused(answer);
  shaped(answer, answer.json, record({ detail: listOf(fault) }), 'the body');
  holds(answer, (body(answer)['detail'] as unknown[]).length > 0, '`detail` to name a fault');
}

/** Of an error whose number the specification leaves open. */
export function refused(answer: Exchange): void {
  holds(answer, answer.status >= 400 && answer.status <= 599, 'an error: a status from 400');
}

export const isSuccess = ({ status: code }: Exchange) => code >= 200 && code < 300;
