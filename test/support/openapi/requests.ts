import fc, { type Arbitrary } from 'fast-check';
import { requestBodies, unexpectedBodies } from './bodies.ts';
import { hostileText, percentEncode, schemaValues, toWellFormed } from './values.ts';

type Json = any;

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
  /** The name of the credential in use. */
  readonly as: string;
  /** False if the path may no longer match the operation's template. */
  readonly onTemplate: boolean;
}

export interface FuzzInputs {
  readonly credentials: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Path parameter values of existing resources. */
  readonly ids: Readonly<Record<string, readonly string[]>>;
  readonly files: readonly Buffer[];
}

/** Requests of one operation: some valid, most with one defect. */
export function requestsOf(method: string, template: string, operation: Json, inputs: FuzzInputs): Arbitrary<Request> {
  const parameters: Json[] = operation.parameters ?? [];
  const of = (where: string) => parameters.filter((each) => each.in === where);
  return fc
    .record({
      address: addressOf(template, of('path'), inputs),
      query: queryOf(of('query')),
      headers: headersOf(of('header')),
      content: operation.requestBody
        ? requestBodies(operation.requestBody.content, inputs.files)
        : unexpectedBodies(method),
      as: fc.constantFrom(...Object.keys(inputs.credentials)),
    })
    .map(({ address, query, headers, content, as }) => ({
      method: method.toUpperCase(),
      path: address.path + query,
      headers: { ...headers, ...content.headers, ...inputs.credentials[as] },
      body: content.body,
      as,
      onTemplate: address.onTemplate,
    }));
}

type Address = Pick<Request, 'path' | 'onTemplate'>;

function addressOf(template: string, parameters: readonly Json[], inputs: FuzzInputs): Arbitrary<Address> {
  const values = fc.tuple(...parameters.map((each) => pathValue(each, inputs)));
  return values.map((segments) => ({
    path: parameters.reduce((path, { name }, i) => path.replace(`{${name}}`, () => segments[i]!.text), template),
    onTemplate: segments.every(({ whole }) => whole),
  }));
}

/** `whole` is false if the text may not be a single path segment. */
function pathValue({ name, schema }: Json, inputs: FuzzInputs): Arbitrary<{ text: string; whole: boolean }> {
  const encoded = (text: string) => ({
    text: percentEncode(text),
    whole: text !== '' && toWellFormed(text) === text && percentEncode(text).length < 3_000,
  });
  const ids = inputs.ids[name] ?? [];
  return fc.oneof(
    ...(ids.length > 0 ? [{ weight: 5, arbitrary: fc.constantFrom(...ids).map(encoded) }] : []),
    { weight: 1, arbitrary: schemaValues(schema).map((value) => encoded(String(value))) },
    { weight: 2, arbitrary: hostileText.map(encoded) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(
          '',
          '.',
          '..',
          '../..',
          '%2e%2e',
          '%2f',
          '%00',
          '%',
          '%ff',
          '%c0%af',
          '%u0041',
          ';a=b',
          '~',
          '*',
          '@',
          'a/b',
          '//',
          '\\',
        )
        .map((text) => ({ text, whole: false })),
    },
  );
}

function queryOf(parameters: readonly Json[]): Arbitrary<string> {
  if (parameters.length === 0) return fc.constantFrom('', '', '?', '?a=b', '?__proto__=1&constructor=2', '?=&&&', '?%');
  const member = fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .constantFrom(...parameters)
        .chain(({ name, schema }) => schemaValues(schema).map((value): [string, string] => [name, String(value)])),
    },
    {
      weight: 3,
      arbitrary: fc
        .constantFrom(...parameters)
        .chain(({ name }) => hostileText.map((value): [string, string] => [name, value.slice(0, 2_000)])),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(
        fc.constantFrom(...parameters).map(({ name }) => `${name}[]`),
        fc.constant('1'),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(
        hostileText.map((name) => name.slice(0, 200)),
        fc.constant('1'),
      ),
    },
  );
  const members = fc
    .array(member, { maxLength: 4 })
    .map((all) => all.map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`));
  return fc.tuple(members, fc.constantFrom('', '', '', '&', '&%zz=%', '&a', '#')).map(([all, tail]) => {
    const query = `?${all.join('&')}${tail}`.replaceAll('#', '%23');
    return query.length > 7_000 ? query.slice(0, 7_000) : query;
  });
}

/** HTTP clients accept only Latin-1 without control characters in headers. */
const headerText = hostileText.map((text) =>
  text
    .replace(/[^\x20-\x7e\xa0-\xff]/g, '')
    .slice(0, 500)
    .trim(),
);

function headersOf(parameters: readonly Json[]): Arbitrary<Record<string, string>> {
  const declared = parameters.map(({ name }) => name as string);
  const value = (name: string): Arbitrary<string> =>
    name === 'Prefer'
      ? fc.constantFrom('wait=0', 'wait=1', 'wait=-1', 'wait', 'wait="0', ';;')
      : fc.oneof(headerText, fc.constantFrom('"1"', 'W/"1"', '*', 'k', 'ru', 'en;q=x'));
  const header = fc
    .constantFrom(
      ...declared,
      'Accept',
      'Accept-Language',
      'Range',
      'If-None-Match',
      'If-Match',
      'X-Request-ID',
      'traceparent',
      'Cookie',
      'Origin',
      'X-Forwarded-For',
      'X-Forwarded-Host',
      'Sec-Fetch-Site',
      'If-Modified-Since',
      'If-Range',
    )
    .chain((name) =>
      fc.tuple(
        fc.constant(name.toLowerCase()),
        name === 'Range'
          ? fc.oneof(
              headerText,
              fc.constantFrom('bytes=0-1', 'bytes=-0', 'bytes=9-1', 'bytes=0-0,2-3', 'bytes=99999999999999999999-'),
            )
          : name === 'Accept'
            ? fc.constantFrom('application/json', 'text/html', '*/*', 'text/*;q=0', ',', 'x')
            : value(name),
      ),
    );
  return fc.array(header, { maxLength: 3 }).map((all) => Object.fromEntries(all));
}
