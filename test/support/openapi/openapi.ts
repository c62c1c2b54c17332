import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import {
  badRequest,
  headersTooLarge,
  methodNotAllowed,
  requestTimeout,
  uriTooLong,
} from '../../../src/base/api-error.ts';
import type { HttpResponse } from '../passports.ts';

type Json = any;

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace'];

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
// OpenAPI adds this format to those of JSON Schema.
ajv.addFormat('binary', true);

/** The operations of an OpenAPI document, named by method and path. */
export const operationsOf = (document: Json): [name: string, operation: Json][] =>
  Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method): [string, Json] => [`${method} ${path}`, item[method]]),
  );

/** The kinds of credentials that each operation accepts; `none` for an operation that also answers without one. */
export const credentialsByOperation = (document: Json): Record<string, string> =>
  Object.fromEntries(
    operationsOf(document).map(([name, { security = [] }]) => [
      name,
      security.map((one: Json) => Object.keys(one)[0] ?? 'none').join(' '),
    ]),
  );

/** Expects a complete document whose references resolve and whose examples match. Returns the number of examples. */
export function expectWellFormed(document: Json): number {
  const operations = operationsOf(document);
  const ids = operations.map(([, { operationId }]) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const [name, operation] of operations) {
    expect(operation.operationId, name).toMatch(/^[a-zA-Z]+$/);
    expect(operation.summary, name).toEqual(expect.any(String));
    const declared = (operation.parameters ?? []).map((each: Json) => `${each.in} ${each.name}`);
    expect(new Set(declared).size, name).toBe(declared.length);
    for (const [, variable] of name.matchAll(/\{(\w+)\}/g)) expect(declared, name).toContain(`path ${variable}`);
    for (const parameter of operation.parameters ?? []) {
      expect(parameter.schema, `${name} ${parameter.name}`).toBeDefined();
      if (parameter.in === 'path') expect(parameter.required).toBe(true);
    }
    expect(Object.keys(operation.responses).length, name).toBeGreaterThan(0);
    for (const [status, response] of Object.entries<Json>(operation.responses)) {
      expect(status, name).toMatch(/^[2-5]\d\d$/);
      expect(response.description, `${name} ${status}`).not.toBe('Default Response');
      expect(response.headers, `${name} ${status}`).toHaveProperty(['X-Request-ID']);
      for (const header of Object.values<Json>(response.headers)) expect(header.schema).toBeDefined();
    }
    if (operation.requestBody) expect(Object.keys(operation.requestBody.content).length, name).toBeGreaterThan(0);
  }
  let exampleCount = 0;
  for (const each of objects(document)) {
    if (typeof each.$ref === 'string') {
      const keys = each.$ref.replace(/^#\//, '').split('/');
      expect(
        keys.reduce((at: Json, key: string) => at?.[key], document),
        each.$ref,
      ).toBeDefined();
    }
    if (each.schema === undefined) continue;
    const examples = [
      ...Object.values<Json>(each.examples ?? {}).map(({ value }) => value),
      ...(each.example === undefined ? [] : [each.example]),
    ];
    for (const example of examples) {
      expect(ajv.validate(each.schema, example), `${ajv.errorsText()} in ${JSON.stringify(example)}`).toBe(true);
      exampleCount++;
    }
  }
  return exampleCount;
}

/** Errors before a request reaches a route; no operation describes them. */
const PROTOCOL_ERRORS = [badRequest(), headersTooLarge(0), methodNotAllowed(''), requestTimeout(), uriTooLong(0)];

/**
 * The error codes without a text that a page can receive from the operations whose names match. Validation errors are left out:
 * their texts depend on the field.
 */
export function codesWithoutText(document: Json, names: RegExp, texts: Readonly<Record<string, string>>): string[] {
  const operations = operationsOf(document).filter(([name]) => names.test(name));
  expect(operations).not.toEqual([]);
  const described = operations.flatMap(([, { responses }]) =>
    Object.values<Json>(responses).flatMap(({ content }) =>
      Object.values<Json>(content?.['application/json']?.examples ?? {}).map(({ value }) => value.error?.code),
    ),
  );
  expect(described.filter((code) => code !== undefined)).not.toEqual([]);
  const codes = new Set([...described, ...PROTOCOL_ERRORS.map(({ code }) => code)]);
  return [...codes].filter((code) => code !== undefined && code !== 'VALIDATION_ERROR' && texts[code] === undefined);
}

/** Expects that the response is described; returns its operation and status. */
export function expectDescribed(
  document: Json,
  method: string,
  path: string,
  answer: Omit<HttpResponse, 'bytes'>,
): string {
  const at = path.split('?')[0]!;
  const fits = (each: string) => new RegExp(`^${each.replace(/\{\w+\}/g, '[^/]+')}$`).test(at);
  const template = Object.keys(document.paths).find((each) => each === at) ?? Object.keys(document.paths).find(fits)!;
  const where = `${method.toLowerCase()} ${template} ${answer.status}`;
  const described = document.paths[template][method.toLowerCase()].responses[answer.status];
  expect(described, where).toBeDefined();
  const type = answer.headers.get('content-type')?.split(';')[0];
  if (answer.text === '') expect(described.content, where).toBeUndefined();
  else expect(Object.keys(described.content), where).toContain(type);
  if (type === 'application/json') {
    const { schema } = described.content['application/json'];
    expect(ajv.validate(schema, answer.body), `${where}: ${ajv.errorsText()}\n${answer.text}`).toBe(true);
  }
  return where;
}

function* objects(value: Json): Generator<Json> {
  if (typeof value !== 'object' || value === null) return;
  yield value;
  for (const part of Object.values(value)) yield* objects(part);
}
