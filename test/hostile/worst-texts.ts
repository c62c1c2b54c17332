import { checkUrl } from '../../src/base/outbound-url.ts';
import { zip } from '../../src/base/xlsx/zip.ts';
import { acceptsType, wantsPage } from '../../src/http/accept-header.ts';
import { bearerToken } from '../../src/http/bearer.ts';
import { matchesETag } from '../../src/http/etag.ts';
import { parseForm } from '../../src/http/forms.ts';
import { idempotencyKey } from '../../src/http/idempotency.ts';
import { parseIfMatch } from '../../src/http/if-match.ts';
import { createJsonLimiter } from '../../src/http/json-limits.ts';
import { preferredWait } from '../../src/http/prefer-header.ts';
import { parseRange } from '../../src/http/range-header.ts';
import { parseTraceparent, requestId } from '../../src/http/request-id.ts';
import { STORABLE_TEXT, VISIBLE_NAME, WITHOUT_NUL } from '../../src/http/text-patterns.ts';
import { splitSentencesByLength } from '../../src/ml/speech/sentences.ts';
import { isHallucination } from '../../src/ml/speech/whisper/hallucination-filter.ts';
import { readCsv } from '../../src/services/catalog/import/csv.ts';
import { readRecords } from '../../src/services/catalog/import/record-validation.ts';
import { repackWorkbook } from '../../src/services/catalog/import/xlsx-archive.ts';
import { searchedOf } from '../../src/services/catalog/records/entry.ts';
import { toStorableText } from '../../src/services/catalog/records/storable-text.ts';
import { parseQuery } from '../../src/services/catalog/search/query-parser.ts';
import { createSnippets } from '../../src/services/catalog/search/snippet.ts';
import { parseDisplayName, sanitizeDisplayName } from '../../src/services/passports/display-name.ts';
import { attachment, excelName } from '../../src/services/passports/export/filenames.ts';
import { normalizeText, shapeFactor } from '../../src/services/passports/model/fields/correct-text.ts';
import { extractByLabels } from '../../src/services/passports/model/fields/extract.ts';
import { parseLabelWord } from '../../src/services/passports/model/fields/label-words.ts';
import { parseAnswer } from '../../src/services/passports/model/llm/answer.ts';
import { parseTsv } from '../../src/services/passports/model/ocr/tsv.ts';
import type { ReadPage } from '../../src/services/passports/page-geometry.ts';
import { findDate } from '../../src/services/passports/schema/dates.ts';
import { DEFAULT_SCHEMA } from '../../src/services/passports/schema/default-schema.ts';
import { everyField, resolveKey } from '../../src/services/passports/schema/keys.ts';
import { asDigits, findNumber } from '../../src/services/passports/schema/numbers.ts';
import { schemaPattern } from '../../src/services/passports/schema/pattern.ts';
import { parseValue, readValue } from '../../src/services/passports/schema/values.ts';
import { preferredLanguage } from '../../src/services/shared/task-routes.ts';
import { parseSegments } from '../../src/services/stt/model/remote-segments.ts';
import { createCues } from '../../src/services/stt/transcript/cues.ts';
import { srt, vtt } from '../../src/services/stt/transcript/formats.ts';

export type TextGenerator = (length: number) => string;

export interface TextParser {
  readonly name: string;
  /** The maximum input length in characters, reduced to what a test has time for. */
  readonly maxLength: number;
  parse(text: string): unknown;
  /** Specific texts; {@link PERIODIC_TEXTS} texts are also tried unless `skipsPeriodic` is set. */
  readonly specificTexts?: readonly TextGenerator[];
  /** Skips {@link PERIODIC_TEXTS}, because the parser is too slow for all of it. */
  readonly skipsPeriodic?: true;
}

export const periodic =
  (again: string, begin = '', end = ''): TextGenerator =>
  (length) =>
    begin + again.repeat(Math.max(1, Math.floor((length - begin.length - end.length) / again.length))) + end;

/** Repetitions that cause quadratic backtracking in careless expressions. */
export const PERIODIC_TEXTS: readonly (readonly [string, TextGenerator])[] = [
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
  // Two combining classes, which normalization sorts.
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
/** As many prefixes as a query can have. */
const snippetOf = createSnippets(Array.from({ length: 1400 }, (_, at) => `перекрытие${10_000 + at}`));
const texts = [VISIBLE_NAME, STORABLE_TEXT, WITHOUT_NUL].map((source) => new RegExp(source, 'u'));
const pageOf = (text: string): ReadPage => ({
  ...{ page: 1, width: 600, height: 800, turn: 0, reader: 'text', rules: [] },
  words: [{ text, box: [0.1, 0.1, 0.9, 0.12], confidence: null }],
});
const spoken = (text: string) => ({ segments: [{ start: 0, end: 60, text }], words: [], language: 'ru' });

export const PARSERS: readonly TextParser[] = [
  {
    name: 'a typed date',
    maxLength: TYPED,
    parse: (text) => parseValue({ type: 'date' }, text),
    specificTexts: [(length) => `x${' '.repeat(length / 2)}1${' '.repeat(length / 2)}x`],
  },
  { name: 'a typed number', maxLength: TYPED, parse: (text) => parseValue({ type: 'number' }, text) },
  { name: 'a typed text', maxLength: TYPED, parse: (text) => parseValue({ type: 'string' }, text) },
  { name: 'a field key', maxLength: TYPED, parse: (text) => resolveKey(DEFAULT_SCHEMA, text) },
  { name: 'a form', maxLength: 100_000, parse: (text) => parseForm(text) },
  { name: 'a given name', maxLength: TYPED, parse: (text) => parseDisplayName(text) },
  { name: 'a file name', maxLength: HEADERS, parse: (text) => attachment(excelName(sanitizeDisplayName(text, 'x'))) },
  {
    name: 'a date on a page',
    maxLength: ON_A_PAGE,
    parse: (text) => findDate(text),
    specificTexts: [
      (length) => `x${' '.repeat(length / 2)}1${' '.repeat(length / 2)}x`,
      periodic('первого мая одна тысяча девятьсот '),
      periodic('1 мая 1» '),
    ],
  },
  {
    name: 'a number on a page',
    maxLength: ON_A_PAGE,
    parse: (text) => [findNumber(text), findNumber(text, 2), asDigits(text)],
    specificTexts: [
      periodic('1', '1,', ':'),
      periodic('1 234 ', '', '5'),
      periodic('12.03.1987 '),
      periodic('1О', '1,', '/'),
    ],
  },
  {
    name: 'a value on a page',
    maxLength: ON_A_PAGE,
    parse: (text) => [
      readValue({ type: 'number', unit: 'rub', decimals: 2 }, text, text),
      readValue({ type: 'number', unit: 'm2' }, text, text),
      readValue(specOf('general:year_built'), text),
      readValue({ type: 'boolean' }, text),
      readValue({ type: 'enum', enum: ['brick'] }, text),
    ],
    specificTexts: [periodic('1234 567 '), periodic(',  (   '), periodic('1 руб. '), periodic('2999 ')],
  },
  { name: 'a text on a page', maxLength: ON_A_PAGE, parse: (text) => [normalizeText(text), shapeFactor(shapes, text)] },
  { name: 'a label on a page', maxLength: ON_A_PAGE, parse: (text) => parseLabelWord(text) },
  {
    name: 'value patterns of the default schema',
    maxLength: ON_A_PAGE,
    parse: (text) => [...marks, ...unless.map((one) => schemaPattern(one, 'iu'))].map((pattern) => pattern.test(text)),
    specificTexts: [periodic('последняя инвентаризация '), periodic('ГУП '), periodic('"1" ')],
  },
  {
    // Layout analysis is quadratic in the words of a page; it runs in a thread with a time limit (field-finder.ts).
    name: 'a page of one long word',
    maxLength: 50_000,
    parse: (text) => extractByLabels([pageOf(text)], DEFAULT_SCHEMA),
    specificTexts: [periodic(' ', 'Дата составления: x', '1'), periodic('1', 'Общая площадь: 1,', ':')],
    skipsPeriodic: true,
  },
  { name: 'the TSV output of an OCR engine', maxLength: 1_000_000, parse: (text) => parseTsv(text, 3) },
  {
    name: 'the answer of a language model',
    maxLength: 1_000_000,
    parse: (text) => parseAnswer(text, [], DEFAULT_SCHEMA),
    specificTexts: [periodic('{'), periodic('{}')],
  },
  {
    name: 'a search query',
    maxLength: 2000,
    parse: (text) => parseQuery(text),
    specificTexts: [periodic('-"'), periodic('-«a')],
  },
  {
    name: 'a record',
    maxLength: 100_000,
    parse: (text) => {
      readRecords([{ record_id: 'a', text, image_url: text, created_at: text }], { kind: 'public' });
      return [searchedOf(text, text), snippetOf(text), toStorableText(text)];
    },
    specificTexts: [(length) => `a${'\u0301'.repeat(length / 2)}${'\u0316'.repeat(length / 2)}`],
  },
  { name: 'a CSV table', maxLength: 1_000_000, parse: (text) => readCsv(Buffer.from(text), 1000, signal) },
  {
    name: 'an XLSX table',
    maxLength: 1_000_000,
    parse: async (text) => repackWorkbook(await archive(text)),
    specificTexts: [periodic('<c '), periodic('<c r= '), periodic('<c <'), periodic('<x:c '), periodic('a:', '<')],
    skipsPeriodic: true,
  },
  {
    name: 'a JSON body',
    maxLength: 1_000_000,
    parse: (text) => createJsonLimiter({ values: 1_000_000, depth: 100 })(Buffer.from(text)),
    specificTexts: [periodic('\\', '"')],
  },
  {
    name: 'a string in a request body',
    maxLength: 100_000,
    parse: (text) => texts.map((pattern) => pattern.test(text)),
  },
  { name: 'Accept', maxLength: HEADERS, parse: (text) => [wantsPage(text), acceptsType(text, 'text/csv')] },
  { name: 'Accept-Language', maxLength: HEADERS, parse: (text) => preferredLanguage(`ru${text}`) },
  { name: 'Authorization', maxLength: HEADERS, parse: (text) => bearerToken(`Bearer ${text}`) },
  { name: 'Idempotency-Key', maxLength: HEADERS, parse: (text) => idempotencyKey(text) },
  { name: 'If-Match', maxLength: HEADERS, parse: (text) => parseIfMatch(text) },
  { name: 'If-None-Match', maxLength: HEADERS, parse: (text) => matchesETag(text, '"a"') },
  { name: 'Prefer', maxLength: HEADERS, parse: (text) => preferredWait(text), specificTexts: [periodic(', wait= ')] },
  {
    name: 'Range',
    maxLength: HEADERS,
    parse: (text) => parseRange({ range: text, ifRange: undefined }, { size: 9, etag: '' }),
  },
  { name: 'X-Request-ID', maxLength: HEADERS, parse: (text) => requestId({ headers: { 'x-request-id': text } }) },
  { name: 'traceparent', maxLength: HEADERS, parse: (text) => parseTraceparent({ traceparent: text }) },
  {
    name: 'the URL of a file or a webhook',
    maxLength: 100_000,
    parse: (text) => checkUrl(`https://a.example/${text}`, { kind: 'public' }),
  },
  {
    name: 'the host of a URL',
    maxLength: 100_000,
    parse: (text) => checkUrl(`https://${text}.example/`, { kind: 'public' }),
  },
  {
    name: 'the answer of a speech provider',
    maxLength: 1_000_000,
    parse: (text) =>
      parseSegments(JSON.stringify({ text }), { start: 0, end: 60, samples: new Float32Array() } as never, 'ru'),
  },
  {
    name: 'a transcript',
    maxLength: 100_000,
    parse: (text) => [isHallucination(text, 1), splitSentencesByLength(text, 60)],
  },
  {
    name: 'subtitles',
    maxLength: 30_000,
    parse: (text) => {
      const cues = createCues(spoken(text) as never);
      return [srt(cues), vtt(cues)];
    },
  },
];

async function archive(sheet: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of zip([{ name: 'xl/worksheets/sheet1.xml', content: [sheet] }])) pieces.push(piece);
  return Buffer.concat(pieces);
}
