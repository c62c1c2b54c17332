import { checkUrl } from '../../src/base/outbound-url.ts';
import { zip } from '../../src/base/xlsx/zip.ts';
import { names, wantsPage } from '../../src/http/accept.ts';
import { bearerToken } from '../../src/http/bearer.ts';
import { matches } from '../../src/http/etag.ts';
import { parseForm } from '../../src/http/forms.ts';
import { idempotencyKey } from '../../src/http/idempotency.ts';
import { jsonScales } from '../../src/http/json-weight.ts';
import { preferredWait } from '../../src/http/prefer.ts';
import { rangeOf } from '../../src/http/range.ts';
import { requestId, traceparent } from '../../src/http/request-id.ts';
import { NAME_TO_SEE, STORABLE, WITHOUT_NUL } from '../../src/http/storable.ts';
import { matchedVersion } from '../../src/http/version-tag.ts';
import { sentencesByLength } from '../../src/ml/speech/sentences.ts';
import { isInvented } from '../../src/ml/speech/whisper/invented.ts';
import { readCsv } from '../../src/services/catalog/import/csv.ts';
import { readRecords } from '../../src/services/catalog/import/read-record.ts';
import { unpackedAnew } from '../../src/services/catalog/import/sheet-archive.ts';
import { cleanText } from '../../src/services/catalog/records/clean.ts';
import { searchedOf } from '../../src/services/catalog/records/entry.ts';
import { snippetOf } from '../../src/services/catalog/search/snippet.ts';
import { wordsAsked } from '../../src/services/catalog/search/words-asked.ts';
import { attachment, excelName } from '../../src/services/passports/export/filenames.ts';
import { shaped, tidy } from '../../src/services/passports/model/fields/candidates.ts';
import { extractFields } from '../../src/services/passports/model/fields/extract.ts';
import { labelWord } from '../../src/services/passports/model/fields/words.ts';
import { readAnswer } from '../../src/services/passports/model/llm/answer.ts';
import { wordsOfTsv } from '../../src/services/passports/model/ocr/tsv.ts';
import { displayName, givenName } from '../../src/services/passports/names.ts';
import type { ReadPage } from '../../src/services/passports/page.ts';
import { findDate } from '../../src/services/passports/schema/dates.ts';
import { DEFAULT_SCHEMA } from '../../src/services/passports/schema/default-schema.ts';
import { everyField, named } from '../../src/services/passports/schema/keys.ts';
import { asDigits, findNumber } from '../../src/services/passports/schema/numbers.ts';
import { schemaPattern } from '../../src/services/passports/schema/pattern.ts';
import { parseValue, readValue } from '../../src/services/passports/schema/values.ts';
import { segmentsOf } from '../../src/services/stt/model/remote-segments.ts';
import { cuesOf } from '../../src/services/stt/transcript/cues.ts';
import { srt, vtt } from '../../src/services/stt/transcript/formats.ts';
import { languageOf } from '../../src/services/task-routes.ts';

export type Worst = (length: number) => string;

export interface TextParser {
  readonly name: string;
  /** The maximum input length in characters, reduced to what a test has time for. */
  readonly longest: number;
  parse(text: string): unknown;
  /** Specific texts; {@link PERIODIC} texts are also tried unless `skipsPeriodic` is set. */
  readonly worst?: readonly Worst[];
  /** Skips {@link PERIODIC}, because the parser is too slow for all of it. */
  readonly only?: true;
}

export const periodic =
  (again: string, begin = '', end = ''): Worst =>
  (length) =>
    begin + again.repeat(Math.max(1, Math.floor((length - begin.length - end.length) / again.length))) + end;

/** Repetitions that cause quadratic backtracking in careless expressions. */
export const PERIODIC: readonly (readonly [string, Worst])[] = [
  ...[
    ' ',
    '\t',
    '\n',
    '0',
    '1',
    'a',
    'я',
    '.',
    ',',
    '-',
    '_',
    '/',
    '\\',
    '"',
    "'",
    '«',
    '(',
    '[',
    '<',
    '=',
    ';',
    ':',
    '%',
    '&',
  ],
  ...[
    '1 ',
    '1,',
    '1.',
    'a ',
    'a.',
    'a,',
    'a=',
    '1/',
    '12 мая ',
    'мая ',
    'ООО ',
    'составлен',
    '<c ',
    '\\"',
    '0:',
    '\r\n',
    '𝒳',
  ],
  // Two combining classes, which normalisation sorts.
  ...['\u0316\u0301', '\uff9e\u0316'],
].flatMap((again) =>
  (
    [
      ['', ''],
      ['', '!'],
      ['1', ':'],
      ['"', 'x'],
      ['x 1,', '\0'],
    ] as const
  ).map(
    ([begin, end]) =>
      [
        `${JSON.stringify(begin)} ${JSON.stringify(again)}… ${JSON.stringify(end)}`,
        periodic(again, begin, end),
      ] as const,
  ),
);

/** The server's limit for all headers of a request. */
const HEADERS = 16 * 1024;
const TYPED = 10_000;
const ON_A_PAGE = 100_000;

const signal = new AbortController().signal;
const fields = [...everyField(DEFAULT_SCHEMA)];
const specOf = (wanted: string) => fields.find(({ key }) => key === wanted)!.spec;
const marks = fields.flatMap(({ spec }) => spec.marks ?? []).map((mark) => schemaPattern(mark, 'iu'));
const shapes = fields.flatMap(({ spec }) => spec.shapes ?? []);
const unless = fields.flatMap(({ spec }) => (spec.parts ?? []).flatMap((part) => part.unless ?? []));
const texts = [NAME_TO_SEE, STORABLE, WITHOUT_NUL].map((source) => new RegExp(source, 'u'));
const pageOf = (text: string): ReadPage => ({
  ...{ page: 1, width: 600, height: 800, turn: 0, reader: 'text', rules: [] },
  words: [{ text, box: [0.1, 0.1, 0.9, 0.12], confidence: null }],
});
const spoken = (text: string) => ({ segments: [{ start: 0, end: 60, text }], words: [], language: 'ru' });

export const PARSERS: readonly TextParser[] = [
  {
    name: 'a typed date',
    longest: TYPED,
    parse: (text) => parseValue({ type: 'date' }, text),
    worst: [(length) => `x${' '.repeat(length / 2)}1${' '.repeat(length / 2)}x`],
  },
  { name: 'a typed number', longest: TYPED, parse: (text) => parseValue({ type: 'number' }, text) },
  { name: 'a typed text', longest: TYPED, parse: (text) => parseValue({ type: 'string' }, text) },
  { name: 'a field key', longest: TYPED, parse: (text) => named(DEFAULT_SCHEMA, text) },
  { name: 'a form', longest: 100_000, parse: (text) => parseForm(text) },
  { name: 'a given name', longest: TYPED, parse: (text) => givenName(text) },
  { name: 'a file name', longest: HEADERS, parse: (text) => attachment(excelName(displayName(text, 'x'))) },
  {
    name: 'a date on a page',
    longest: ON_A_PAGE,
    parse: (text) => findDate(text),
    worst: [
      (length) => `x${' '.repeat(length / 2)}1${' '.repeat(length / 2)}x`,
      periodic('первого мая одна тысяча девятьсот '),
      periodic('1 мая 1» '),
    ],
  },
  {
    name: 'a number on a page',
    longest: ON_A_PAGE,
    parse: (text) => [findNumber(text), findNumber(text, 2), asDigits(text)],
    worst: [periodic('1', '1,', ':'), periodic('1 234 ', '', '5'), periodic('12.03.1987 '), periodic('1О', '1,', '/')],
  },
  {
    name: 'a value on a page',
    longest: ON_A_PAGE,
    parse: (text) => [
      readValue({ type: 'number', unit: 'rub', decimals: 2 }, text, text),
      readValue({ type: 'number', unit: 'm2' }, text, text),
      readValue(specOf('general:year_built'), text),
      readValue({ type: 'boolean' }, text),
      readValue({ type: 'enum', enum: ['brick'] }, text),
    ],
    worst: [periodic('1234 567 '), periodic(',  (   '), periodic('1 руб. '), periodic('2999 ')],
  },
  { name: 'a text on a page', longest: ON_A_PAGE, parse: (text) => [tidy(text), shaped(shapes, text)] },
  { name: 'a label on a page', longest: ON_A_PAGE, parse: (text) => labelWord(text) },
  {
    name: 'value patterns of the default schema',
    longest: ON_A_PAGE,
    parse: (text) => [...marks, ...unless.map((one) => schemaPattern(one, 'iu'))].map((pattern) => pattern.test(text)),
    worst: [periodic('последняя инвентаризация '), periodic('ГУП '), periodic('"1" ')],
  },
  {
    // Layout analysis is quadratic in the words of a page; it runs in a thread with a time limit (find-fields.ts).
    name: 'a page of one long word',
    longest: 50_000,
    parse: (text) => extractFields([pageOf(text)], DEFAULT_SCHEMA),
    worst: [periodic(' ', 'Дата составления: x', '1'), periodic('1', 'Общая площадь: 1,', ':')],
    only: true,
  },
  { name: 'the TSV output of an OCR engine', longest: 1_000_000, parse: (text) => wordsOfTsv(text, 3) },
  {
    name: 'the answer of a language model',
    longest: 1_000_000,
    parse: (text) => readAnswer(text, [], DEFAULT_SCHEMA),
    worst: [periodic('{'), periodic('{}')],
  },
  {
    name: 'a search query',
    longest: 2000,
    parse: (text) => wordsAsked(text),
    worst: [periodic('-"'), periodic('-«a')],
  },
  {
    name: 'a record',
    longest: 100_000,
    parse: (text) => {
      readRecords([{ record_id: 'a', text, image_url: text, created_at: text }], { kind: 'public' });
      return [searchedOf(text, text), snippetOf(text, ['zz']), cleanText(text)];
    },
    worst: [(length) => `a${'\u0301'.repeat(length / 2)}${'\u0316'.repeat(length / 2)}`],
  },
  { name: 'a CSV table', longest: 1_000_000, parse: (text) => readCsv(Buffer.from(text), 1000, signal) },
  {
    name: 'an XLSX table',
    longest: 1_000_000,
    parse: async (text) => unpackedAnew(await archive(text)),
    worst: [periodic('<c '), periodic('<c r= '), periodic('<c <'), periodic('<x:c '), periodic('a:', '<')],
    only: true,
  },
  {
    name: 'a JSON body',
    longest: 1_000_000,
    parse: (text) => jsonScales({ values: 1_000_000, depth: 100 })(Buffer.from(text)),
    worst: [periodic('\\', '"')],
  },
  { name: 'a string in a request body', longest: 100_000, parse: (text) => texts.map((pattern) => pattern.test(text)) },
  { name: 'Accept', longest: HEADERS, parse: (text) => [wantsPage(text), names(text, 'text/csv')] },
  { name: 'Accept-Language', longest: HEADERS, parse: (text) => languageOf(`ru${text}`) },
  { name: 'Authorization', longest: HEADERS, parse: (text) => bearerToken(`Bearer ${text}`) },
  { name: 'Idempotency-Key', longest: HEADERS, parse: (text) => idempotencyKey(text) },
  { name: 'If-Match', longest: HEADERS, parse: (text) => matchedVersion(text) },
  { name: 'If-None-Match', longest: HEADERS, parse: (text) => matches(text, '"a"') },
  { name: 'Prefer', longest: HEADERS, parse: (text) => preferredWait(text), worst: [periodic(', wait= ')] },
  {
    name: 'Range',
    longest: HEADERS,
    parse: (text) => rangeOf({ range: text, ifRange: undefined }, { size: 9, etag: '' }),
  },
  { name: 'X-Request-ID', longest: HEADERS, parse: (text) => requestId({ headers: { 'x-request-id': text } }) },
  { name: 'traceparent', longest: HEADERS, parse: (text) => traceparent({ traceparent: text }) },
  {
    name: 'the URL of a file or a webhook',
    longest: 100_000,
    parse: (text) => checkUrl(`https://a.example/${text}`, { kind: 'public' }),
  },
  {
    name: 'the host of a URL',
    longest: 100_000,
    parse: (text) => checkUrl(`https://${text}.example/`, { kind: 'public' }),
  },
  {
    name: 'the answer of a speech provider',
    longest: 1_000_000,
    parse: (text) =>
      segmentsOf(JSON.stringify({ text }), { start: 0, end: 60, samples: new Float32Array() } as never, 'ru'),
  },
  {
    name: 'a transcript',
    longest: 100_000,
    parse: (text) => [isInvented(text, 1), sentencesByLength(text, 60)],
  },
  {
    name: 'subtitles',
    longest: 30_000,
    parse: (text) => {
      const cues = cuesOf(spoken(text) as never);
      return [srt(cues), vtt(cues)];
    },
  },
];

async function archive(sheet: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of zip([{ name: 'xl/worksheets/sheet1.xml', content: [sheet] }])) pieces.push(piece);
  return Buffer.concat(pieces);
}
