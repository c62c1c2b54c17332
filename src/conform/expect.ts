import { AssertionFailure } from './assertion-failure.ts';
import type { Check, RunContext } from './check.ts';
import type { Exchange } from './exchange.ts';
import { anything, deepEqual, isRecord, listOf, matching, oneOf, record, type Shape, text } from './shape.ts';

/** Throws an `AssertionFailure` for a response that differs. */
export type Expectation = (response: Exchange) => void;

export function expect(response: Exchange, ...expectations: readonly Expectation[]): void {
  for (const meet of expectations) meet(response);
}

/** The `run` of a check: the expectations of one or more responses. */
export const expecting =
  (ask: (context: RunContext) => Promise<Exchange | readonly Exchange[]>, ...expectations: readonly Expectation[]) =>
  async (context: RunContext): Promise<void> => {
    for (const response of [await ask(context)].flat()) expect(response, ...expectations);
  };

export type CheckRow = readonly [name: string, cites: Check['cites'], title: string, run: Check['run']];

/** Rows that differ only in the items. */
export const rows = <T>(items: readonly T[], rowOf: (item: T) => CheckRow): CheckRow[] => items.map(rowOf);

/** A table of checks whose ids begin with `topic`. */
export const checks = (topic: string, table: readonly CheckRow[]): Check[] =>
  table.map(([name, cites, title, run]) => ({ id: `${topic}.${name}`, cites, title, run }));

export function assertThat(response: Exchange, condition: boolean, expected: string): void {
  if (!condition) throw new AssertionFailure(expected, response);
}

export function assertShape(response: Exchange, value: unknown, shape: Shape, at: string): void {
  const wrong = shape(value, at);
  if (wrong !== undefined) throw new AssertionFailure(wrong, response);
}

export const isSuccess = ({ status: code }: Exchange) => code >= 200 && code < 300;

export const that =
  (condition: (response: Exchange) => boolean, expected: string): Expectation =>
  (response) =>
    assertThat(response, condition(response), expected);

export const status = (...allowed: readonly number[]) =>
  that((response) => allowed.includes(response.status), `status ${allowed.join(' or ')}`);

export const success = that(isSuccess, 'a success');

/** For rejections without a specified status. */
export const clientError = that(({ status: code }) => code >= 400 && code <= 499, 'a client error (400 to 499)');

export const contentType = (pattern: RegExp, expected: string) =>
  that(({ headers }) => pattern.test(headers.get('content-type') ?? ''), expected);

export function bodyOf(response: Exchange): Record<string, unknown> {
  if (!isRecord(response.json)) throw new AssertionFailure('a JSON object', response);
  return response.json;
}

/** A shape, or the fields of an object. */
type Content = Shape | Parameters<typeof record>[0];
const shapeOf = (content: Content): Shape => (typeof content === 'function' ? content : record(content));

export const body =
  (content: Content): Expectation =>
  (response) =>
    assertShape(response, bodyOf(response), shapeOf(content), 'the body');

export function successData(response: Exchange): unknown {
  const { ok, data: found } = bodyOf(response);
  if (ok !== true) throw new AssertionFailure('`ok` to be true', response);
  if (typeof found !== 'object' || found === null) throw new AssertionFailure('`data` to be present', response);
  return found;
}

export function successObject(response: Exchange): Record<string, unknown> {
  const found = successData(response);
  if (!isRecord(found)) throw new AssertionFailure('`data` to be an object', response);
  return found;
}

/** The content of the success envelope, an object. */
export const data =
  (content: Content): Expectation =>
  (response) =>
    assertShape(response, successObject(response), shapeOf(content), 'data');

const upperSnakeCase = matching(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/, 'an UPPER_SNAKE_CASE string');

/** The error envelope of services A and B. */
export const error = (code?: string) =>
  body({ ok: oneOf(false), error: record({ code: code ? oneOf(code) : upperSnakeCase, message: text }) });

/** A client error with the envelope of Passports, in which `ok` is optional. */
export const rejection: Expectation = (response) =>
  expect(
    response,
    clientError,
    body(record({ error: record({ code: upperSnakeCase, message: text }) }, { ok: oneOf(false) })),
  );

/** A client error with the `detail` array. */
export const validationError: Expectation = (response) => {
  const context: Shape = (value, at) => (isRecord(value) ? undefined : `${at} to be an object`);
  const entry = record({ loc: listOf(anything), msg: text, type: text }, { input: anything, ctx: context });
  expect(response, clientError, body({ detail: listOf(entry) }));
  assertThat(response, (bodyOf(response)['detail'] as unknown[]).length > 0, '`detail` to have an entry');
};

export const sameBody = (before: Exchange) =>
  that(({ json }) => deepEqual(json, before.json), 'the same body as before');
