import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DEFAULT_SCHEMA } from './default-schema.ts';
import { resolveKey } from './keys.ts';
import { loadSchema } from './load-schema.ts';
import { checkSchema } from './schema.ts';

const small = (field: object) => ({
  id: 'x',
  version: '1',
  sections: [{ key: 'a', title: 'A', fields: [{ key: 'b', label: 'B', type: 'string', ...field }] }],
});

describe('a schema', () => {
  it('has a fixed set of keys by default', () => {
    expect(checkSchema(DEFAULT_SCHEMA, 'default')).toBe(DEFAULT_SCHEMA);
    const keys = (section: string) =>
      DEFAULT_SCHEMA.sections
        .filter(({ key }) => key === section)
        .flatMap(({ fields = [], table }) => [...fields, ...(table?.columns ?? [])].map(({ key }) => key));
    expect(DEFAULT_SCHEMA.sections.map(({ key }) => key)).toEqual([
      'general',
      'areas',
      'construction',
      'rooms',
      'notes',
    ]);
    expect(keys('general').join(' ')).toBe(
      'address cadastral_number inventory_number purpose year_built floors floor inventory_value issue_date issuer owner head technician',
    );
    expect(keys('areas').join(' ')).toBe('total_area living_area auxiliary_area ceiling_height');
    expect(keys('construction').join(' ')).toBe(
      'foundation wall_material partitions floors_material roof wear_percent',
    );
    expect(keys('rooms').join(' ')).toBe('no name area living_area auxiliary_area height');
  });

  it('resolves keys of fields and cells, and no other keys', () => {
    expect(resolveKey(DEFAULT_SCHEMA, 'general:address')).toMatchObject({ kind: 'field', spec: { key: 'address' } });
    expect(resolveKey(DEFAULT_SCHEMA, 'rooms:12.area')).toMatchObject({ kind: 'cell', row: 12, spec: { key: 'area' } });
    for (const key of ['general:nothing', 'rooms:0.area', 'rooms:area', 'general', 'general:1.address', 'csrf_token']) {
      expect(resolveKey(DEFAULT_SCHEMA, key), key).toBeUndefined();
    }
  });

  it.each([
    ['an invalid key', small({ key: 'Big' }), '/sections/0/fields/0/key'],
    ['an unknown type', small({ type: 'text' }), '/sections/0/fields/0/type must be one of "string", "number"'],
    ['a misspelt key', small({ synonims: [] }), '/sections/0/fields/0/synonims is not a key of the schema'],
    ['an enum without values', small({ type: 'enum' }), 'must have "enum" if and only if'],
    ['an invalid pattern', small({ pattern: '(' }), 'not a regular expression'],
    ['a check of an unknown field', { ...small({}), checks: [{ rising: ['a:b', 'a:c'] }] }, '"a:c"'],
    ['no sections', { id: 'x', version: '1', sections: [] }, '/sections'],
  ])('with %s is rejected with an error message that contains its position', (_case, data, message) => {
    expect(() => checkSchema(data, 'mine.json')).toThrow(message);
    expect(() => checkSchema(data, 'mine.json')).toThrow('mine.json');
  });

  it('is loaded from a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'schema-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'mine.json');
    writeFileSync(file, JSON.stringify(small({})));
    expect(loadSchema(file).id).toBe('x');
    writeFileSync(file, '{');
    expect(() => loadSchema(file)).toThrow('cannot be read as JSON');
  });
});
