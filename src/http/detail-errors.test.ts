import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { testGateway } from '../../test/support/gateway.ts';
import { detailsOf, detailValidation } from './detail-errors.ts';
import { STORABLE_TEXT, VISIBLE_NAME } from './text-patterns.ts';
import { createValidators, type Part } from './validation.ts';
import { InvalidInput } from './validation-details.ts';

const compile = createValidators();

/** The single detail for `value`. */
function detail(schema: object, value: unknown, where: Part = 'body') {
  const validate = compile(where === 'query' ? 'querystring' : where, schema);
  expect(validate(value)).toBe(false);
  const [first, ...others] = detailsOf({ kind: 'schema', where, problems: validate.errors! });
  expect(others).toEqual([]);
  return first!;
}
const field = (schema: object) => ({ type: 'object', properties: { x: schema }, required: ['x'] });

describe('the error detail', () => {
  it.each<[string, object, unknown, object]>([
    ['a missing field', field({}), {}, { loc: ['body', 'x'], msg: 'Field required', type: 'missing' }],
    ['a missing body', field({}), null, { loc: ['body'], type: 'missing' }],
    ['a number for text', field({ type: 'string' }), { x: 1 }, { loc: ['body', 'x'], type: 'string_type', input: 1 }],
    ['text for an integer', field({ type: 'integer' }), { x: '1' }, { type: 'int_type', input: '1' }],
    ['text for a number', field({ type: 'number' }), { x: 'a' }, { type: 'float_type' }],
    ['text for a boolean', field({ type: 'boolean' }), { x: 'a' }, { type: 'bool_type' }],
    ['text for a list', field({ type: 'array' }), { x: 'a' }, { type: 'list_type' }],
    ['a list for an object', field({ type: 'object' }), { x: [] }, { type: 'dict_type' }],
    [
      'a number that is too small',
      field({ minimum: 1 }),
      { x: 0 },
      { type: 'greater_than_equal', ctx: { ge: 1 }, input: 0 },
    ],
    ['a number that is too large', field({ maximum: 1 }), { x: 2 }, { type: 'less_than_equal', ctx: { le: 1 } }],
    [
      'text that is too short',
      field({ minLength: 2 }),
      { x: 'a' },
      { type: 'string_too_short', ctx: { min_length: 2 } },
    ],
    [
      'text that is too long',
      field({ maxLength: 1 }),
      { x: 'ab' },
      { type: 'string_too_long', ctx: { max_length: 1 } },
    ],
    ['too few items', field({ minItems: 1 }), { x: [] }, { type: 'too_short' }],
    ['too many items', field({ maxItems: 1 }), { x: [1, 2] }, { type: 'too_long' }],
    [
      'a value outside an enum',
      field({ enum: ['a', 'b', 'c'] }),
      { x: 'd' },
      { type: 'enum', ctx: { expected: "'a', 'b' or 'c'" } },
    ],
    [
      'a value outside a union of literals',
      field(Type.Union([Type.Literal('a'), Type.Literal('b')])),
      { x: 'd' },
      { type: 'enum', ctx: { expected: "'a' or 'b'" } },
    ],
    ['an invalid UUID', field({ type: 'string', format: 'uuid' }), { x: 'd' }, { type: 'uuid_parsing', input: 'd' }],
    [
      'a pattern mismatch',
      field({ pattern: '^a$' }),
      { x: 'd' },
      { type: 'string_pattern_mismatch', ctx: { pattern: '^a$' } },
    ],
    [
      'an invisible name',
      field({ pattern: VISIBLE_NAME }),
      { x: ' \t' },
      { type: 'string_pattern_mismatch', msg: expect.stringMatching(/^A name must contain a visible character/) },
    ],
    [
      'a NUL character',
      field({ pattern: STORABLE_TEXT }),
      { x: 'a\u0000' },
      { type: 'string_pattern_mismatch', msg: expect.stringMatching(/^Text may not contain the character NUL/) },
    ],
    [
      'in a list',
      field({ items: { type: 'string' } }),
      { x: ['a', 1] },
      { loc: ['body', 'x', 1], type: 'string_type' },
    ],
  ])('describes %s', (_, schema, value, expected) => {
    expect(detail(schema, value)).toMatchObject({ msg: expect.any(String), ...expected });
  });

  it('contains URL parameters as the original text', () => {
    expect(detail(field({ type: 'integer', maximum: 200 }), { x: '500' }, 'query')).toEqual({
      loc: ['query', 'x'],
      msg: 'Input should be less than or equal to 200',
      type: 'less_than_equal',
      input: '500',
      ctx: { le: 200 },
    });
    expect(detail(field({ type: 'integer' }), { x: 'a' }, 'path')).toMatchObject({
      loc: ['path', 'x'],
      type: 'int_parsing',
      input: 'a',
    });
    expect(detail(field({ type: 'boolean' }), { x: '1' }, 'query')).toMatchObject({
      msg: 'Input should be a valid boolean, true or false',
      type: 'bool_parsing',
      input: '1',
    });
  });

  it.each([
    ['integer', ['0x10', '0b1', '0o7', '1e2', ' 1', '1 ', '1.5', 'a', '']],
    ['number', ['0x1', '0b1', ' 0.5', '0.5 ', 'Infinity', '1e', 'a', '']],
  ])('a query parameter of type %s must be decimal', (type, texts) => {
    for (const text of texts) {
      expect(detail(field({ type }), { x: text }, 'query'), text).toMatchObject({
        loc: ['query', 'x'],
        type: type === 'integer' ? 'int_parsing' : 'float_parsing',
        input: text,
      });
    }
  });

  it.each([
    ['integer', ['0', '10', '-1', '+1', '1.0']],
    ['number', ['0', '-0.5', '.5', '1.', '1e-3', '1E3']],
  ])('converts decimal query parameters of type %s', (type, texts) => {
    for (const text of texts) {
      const query: Record<string, unknown> = { x: text };
      expect(compile('querystring', field({ type }))(query), text).toBe(true);
      expect(query['x']).toBe(Number(text));
    }
  });

  it('omits secrets and objects and truncates long text', () => {
    const secret = { type: 'object', properties: { api_key: { type: 'integer' }, password: { type: 'integer' } } };
    expect(detail(secret, { api_key: 'hush' })).not.toHaveProperty('input');
    expect(detail(secret, { password: 'hush' })).not.toHaveProperty('input');
    expect(detail(field({ type: 'string' }), { x: { deep: 1 } })).not.toHaveProperty('input');
    expect(detail(field({ type: 'integer' }), { x: 'a'.repeat(999) }).input).toHaveLength(200);
  });
});

it('a service with detail validation responds to all invalid requests in this format', async () => {
  const details = [{ loc: ['body', 'a:b'], msg: 'There is no such field', type: 'extra_forbidden' }];
  const { app } = await testGateway({ validation: detailValidation }, (gateway) => {
    gateway.post('/form', { config: { access: 'public' } }, () => {
      throw new InvalidInput(details);
    });
    gateway.post('/body', { config: { access: 'public' }, schema: { body: field({}) } }, () => 'fine');
  });
  expect((await app.inject({ method: 'POST', url: '/form' })).json()).toEqual({ detail: details });
  const torn = await app.inject({
    method: 'POST',
    url: '/body',
    payload: '{',
    headers: { 'content-type': 'application/json' },
  });
  expect([torn.statusCode, torn.json().detail[0].type]).toEqual([422, 'json_invalid']);
  await app.close();
});
