import fc, { type Arbitrary } from 'fast-check';

type Json = any;

const utf16Units = (maxLength: number): Arbitrary<string> =>
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength }).map((all) => String.fromCharCode(...all));

/** Strings that commonly break parsers. */
export const hostileText: Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...[
      '',
      ' ',
      '\0',
      'a\0b',
      '\ud800',
      'a\udfffb',
      '\u202e',
      '\ufeff',
      '\r\nX-Injected: 1',
      '%00',
      '%',
      '%zz',
      '%c0%af',
    ],
    ...[
      '../../etc/passwd',
      '..\\..\\x',
      '/',
      '//',
      '.',
      '..',
      '__proto__',
      'constructor',
      'toString',
      'hasOwnProperty',
    ],
    ...["' or 1=1 --", '";drop table tasks', '%_\\', '(((', '"', '""""', '-', '--', '-"', '*', ':*', '&|!', 'a & !'],
    ...['<script>alert(1)</script>', '{{7*7}}', '=1+1', '$(id)', 'null', 'undefined', 'NaN', 'Infinity', '-0', '1e309'],
    ...['9007199254740993', '99999999999999999999', '-1', '0', '1.5', '0x10', '٣', '²', '１', 'true', 'TRUE', 'on'],
    ...['2026-02-30', '0000-00-00', '9999-12-31T23:59:60Z', '+275760-09-13', '2026-01-01T00:00:00+99:99', '-000001'],
    ...[
      'rep_00000000000000000000000000',
      '01993f6e-2d8a-7c21-9b1e-4f6a7d0c5e12',
      'urn:uuid:0',
      'İ',
      'ß',
      'ﷺ',
      '👩‍👩‍👧‍👦',
    ],
  ),
  utf16Units(20),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(300, 3_000, 70_000).map((length) => 'x'.repeat(length)),
  fc.constantFrom(200, 5_000).map((length) => 'я'.repeat(length)),
);

/** The text as UTF-8 can represent it: a lone surrogate becomes U+FFFD. */
export const toWellFormed = (text: string): string => text.replace(/\p{Cs}/gu, '\ufffd');

/** Percent-encodes a text; encodeURIComponent rejects lone surrogates. */
export const percentEncode = (text: string): string =>
  encodeURIComponent(toWellFormed(text)) + (toWellFormed(text) === text ? '' : '%ed%a0%80');

export const anyJson: Arbitrary<Json> = fc.oneof(
  hostileText,
  fc.constantFrom(null, true, false, 0, -1, 1.5, -0, 1e308, 5e-324, 2 ** 53, 2 ** 31, -(2 ** 63)),
  fc.constantFrom([], {}, [[]], [null], { a: {} }, [[[[[[[[[[]]]]]]]]]]),
  fc.jsonValue({ maxDepth: 3 }),
  fc.integer({ min: 1, max: 2_000 }).map((length) => Array(length).fill(0)),
  fc
    .integer({ min: 1, max: 500 })
    .map((keys) => Object.fromEntries(Array.from({ length: keys }, (_, i) => [`k${i}`, i]))),
);

/** Values that match a schema, as far as it is interpreted here. */
export function schemaValues(schema: Json): Arbitrary<Json> {
  if (schema === undefined) return fc.jsonValue();
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const either = schema.anyOf ?? schema.oneOf;
  if (either !== undefined) return fc.oneof(...either.map(schemaValues));
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'string':
      return schemaTexts(schema);
    case 'integer':
      return fc.integer(range(schema));
    case 'number':
      return fc.double({ ...range(schema), noNaN: true, noDefaultInfinity: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(schemaValues(schema.items), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 5, 5),
      });
    case 'object':
      return schemaObjects(schema);
    default:
      return fc.jsonValue();
  }
}

function schemaTexts({ format, pattern, minLength = 0, maxLength = 60 }: Json): Arbitrary<string> {
  if (format === 'uuid') return fc.uuid();
  const most = Math.min(maxLength, Math.max(minLength, 60));
  const fits = ({ length }: string) => length >= minLength && length <= most;
  const words = WORDS.filter(fits);
  if (pattern !== undefined)
    return fc.stringMatching(new RegExp(pattern, 'u')).map((text) => text.padEnd(minLength, 'x').slice(0, most));
  const any = fc.string({ unit: 'grapheme-ascii', minLength, maxLength: most });
  return words.length > 0 ? fc.oneof(fc.constantFrom(...words), any) : any;
}

const WORDS = ['a', 'ru', 'трещина', 'https://storage-1.example.com/a.jpg', '2026-05-31'];

function schemaObjects({ properties = {}, required = [], additionalProperties }: Json): Arbitrary<Json> {
  const named = fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, schemaValues(schema)])),
    { requiredKeys: required },
  );
  if (additionalProperties !== true && Object.keys(properties).length > 0) return named;
  return fc
    .tuple(fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }), named)
    .map(([more, own]) => ({ ...more, ...own }));
}

const range = ({ minimum, maximum }: Json) => ({
  ...(minimum !== undefined && { min: minimum }),
  ...(maximum !== undefined && { max: Math.min(maximum, 2 ** 31 - 1) }),
});

/** JSON texts: valid, almost valid, and malformed. `example` is a valid value. */
export function jsonText(schema: Json, example: Json): Arbitrary<Buffer> {
  const good = example === undefined ? schemaValues(schema) : fc.oneof(fc.constant(example), schemaValues(schema));
  const names = Object.keys(schema?.properties ?? {});
  const name = names.length > 0 ? fc.constantFrom(...names, 'another', '__proto__') : fc.constant('__proto__');
  return fc.oneof(
    { weight: 3, arbitrary: good.map(text) },
    {
      weight: 4,
      arbitrary: fc.tuple(good, name, anyJson).map(([value, key, part]) => text(withMember(value, key, part))),
    },
    { weight: 1, arbitrary: fc.tuple(good, name).map(([value, key]) => text(withoutMember(value, key))) },
    {
      weight: 1,
      arbitrary: fc.tuple(good, name, hostileText).map(([value, key, extra]) => withDuplicateMember(value, key, extra)),
    },
    { weight: 1, arbitrary: fc.tuple(good, hostileText).map(([value, key]) => text({ ...value, [key]: value })) },
    { weight: 1, arbitrary: anyJson.map(text) },
    { weight: 2, arbitrary: good.chain((value) => malformedJson(JSON.stringify(value) ?? '')) },
  );
}

const text = (value: Json): Buffer => Buffer.from(JSON.stringify(value) ?? '');
const isObject = (value: Json): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

function withMember(value: Json, key: string, part: Json): Json {
  if (!isObject(value)) return part;
  const nested = Object.keys(value).find((each) => isObject(value[each]));
  // For half of the keys, one level deeper if the value has a nested object.
  if (nested !== undefined && key.length % 2 === 0) return { ...value, [nested]: { ...value[nested], [key]: part } };
  return Object.fromEntries([...Object.entries(value).filter(([each]) => each !== key), [key, part]]);
}

const withoutMember = (value: Json, key: string): Json =>
  isObject(value) ? Object.fromEntries(Object.entries(value).filter(([each]) => each !== key)) : [value];

/** Repeats a member: JSON parsers use the last one. */
function withDuplicateMember(value: Json, key: string, extra: string): Buffer {
  const inner = JSON.stringify(isObject(value) ? value : {}).slice(1, -1);
  const members = [`${JSON.stringify(key)}:${JSON.stringify(extra)}`, inner, `${JSON.stringify(key)}:null`];
  return Buffer.from(`{${members.filter((member) => member !== '').join(',')}}`);
}

const malformedJson = (good: string): Arbitrary<Buffer> =>
  fc.oneof(
    fc
      .constantFrom(
        ...['', ' ', '{', '[', '"', '{"a":}', '{"a":1,}', "{'a':1}", 'NaN', '[1e999]', '{"a":01}', '// no\n{}', '{}{}'],
        ...[`\ufeff${good}`, `${good}\0`, good.replaceAll('"', '\\u0022'), '"\\ud800"', '{"__proto__":{"a":1}}'],
        '['.repeat(30_000),
        '{"a":'.repeat(10_000),
        `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
        `[${'9'.repeat(60_000)}]`,
        `{"${'k'.repeat(60_000)}":1}`,
      )
      .map((each) => Buffer.from(each)),
    fc.constant(Buffer.from(good, 'utf16le')),
    fc.constant(
      Buffer.concat([Buffer.from('{"image_url":"'), Buffer.from([0xff, 0xfe, 0xc0, 0x80]), Buffer.from('"}')]),
    ),
    fc.nat(Math.max(0, good.length - 1)).map((length) => Buffer.from(good.slice(0, length))),
    fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
  );
