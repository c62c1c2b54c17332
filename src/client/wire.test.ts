import { expect, it } from 'vitest';

// scripts/ is plain JavaScript without types.
const { typescriptOf } = (await import(new URL('../../scripts/client-types.mjs', import.meta.url).href)) as {
  typescriptOf: (named: Readonly<Record<string, object>>) => string;
};

it('The client types include optional members, null, enumerations and references by name', () => {
  const types = typescriptOf({
    Mark: { type: 'object', required: ['at'], properties: { at: { type: 'integer' } } },
    Row: {
      type: 'object',
      required: ['state', 'at'],
      properties: {
        state: { enum: ['open', 'shut'], description: 'One of two.' },
        at: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        marks: { type: 'array', items: { anyOf: [{ type: 'integer' }, { type: 'null' }] } },
        last: {
          type: 'object',
          required: ['at'],
          properties: { at: { type: 'integer' } },
          description: 'The last mark.',
        },
        more: { type: 'object', additionalProperties: true, properties: {} },
      },
    },
  });
  expect(types).toBe(
    [
      'export interface Mark {',
      '  readonly at: number;',
      '}',
      '',
      'export interface Row {',
      '  /** One of two. */',
      "  readonly state: 'open' | 'shut';",
      '  readonly at: string | null;',
      '  readonly marks?: readonly (number | null)[];',
      '  /** The last mark. */',
      '  readonly last?: Mark;',
      '  readonly more?: Readonly<Record<string, unknown>>;',
      '}',
      '',
    ].join('\n'),
  );
});
