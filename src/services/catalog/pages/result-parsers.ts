import type { JsonObject, JsonValue } from '../../../base/json.ts';

/** Parts of a `result` can be missing: the record can be imported or from an older version. */
export interface PhotoResult {
  readonly surface?: string;
  readonly masters: readonly Scored[];
  readonly defects: readonly Scored[];
  readonly model?: string;
}

interface Scored {
  readonly name: string;
  readonly conf: number;
}

export function photoOf(result: JsonObject): PhotoResult {
  const { surface, masters, defects, model_version: model } = result;
  return {
    ...(typeof surface === 'string' && { surface }),
    masters: listOf(masters).flatMap(scoredOf),
    defects: listOf(defects).flatMap(scoredOf),
    ...(typeof model === 'string' && { model }),
  };
}

export interface SpeechResult {
  readonly text: string;
  readonly language?: string;
  readonly segments: readonly Timed[];
  readonly words: readonly Timed[];
}

interface Timed {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function speechOf(result: JsonObject): SpeechResult {
  const { transcription, language, segments, words } = result;
  return {
    text: typeof transcription === 'string' ? transcription : '',
    // Used as a `lang` attribute.
    ...(typeof language === 'string' && /^[a-z]{2,3}$/.test(language) && { language }),
    segments: listOf(segments).flatMap(timedOf),
    words: listOf(words).flatMap(timedOf),
  };
}

export interface ReadField {
  readonly key: string;
  readonly section: LocalizedText;
  readonly label: LocalizedText;
  /** Table row, from 1. */
  readonly row?: number;
  readonly value: string;
  readonly confidence?: number;
  readonly page?: number;
  readonly bbox?: readonly [number, number, number, number];
}

type LocalizedText = Readonly<Record<'en' | 'ru', string>>;

export interface DocumentResult {
  readonly fields: readonly ReadField[];
  /** The first page, which the picture shows. */
  readonly sheet?: { readonly width: number; readonly height: number; readonly turn: 0 | 90 | 180 | 270 };
}

export function documentOf(result: JsonObject): DocumentResult {
  const [first] = listOf(result['sheets']);
  const sheet = sheetOf(first);
  return { fields: listOf(result['fields']).flatMap(fieldOf), ...(sheet && { sheet }) };
}

export function failureOf({ error, error_code: code }: JsonObject): { code: string; sentence: string } {
  return { code: typeof code === 'string' ? code : '', sentence: typeof error === 'string' ? error : '' };
}

export function heatOf(
  attachment: JsonValue | null,
): { width: number; height: number; maps: Record<string, string> } | undefined {
  const { width, height, maps } = objectOf(attachment);
  if (typeof width !== 'number' || typeof height !== 'number') return undefined;
  const valid = Object.entries(objectOf(maps)).filter((map): map is [string, string] => typeof map[1] === 'string');
  return valid.length === 0 ? undefined : { width, height, maps: Object.fromEntries(valid) };
}

function scoredOf(value: JsonValue): Scored[] {
  const { name, conf } = objectOf(value);
  return typeof name === 'string' && typeof conf === 'number' ? [{ name, conf }] : [];
}

function timedOf(value: JsonValue): Timed[] {
  const { start, end, text } = objectOf(value);
  const isValid = typeof start === 'number' && typeof end === 'number' && typeof text === 'string';
  return isValid ? [{ start, end, text }] : [];
}

function fieldOf(value: JsonValue): ReadField[] {
  const { key, section, label, row, value: read, confidence, page, bbox } = objectOf(value);
  if (typeof key !== 'string' || read === null || read === undefined || typeof read === 'object') return [];
  const box = listOf(bbox).filter((side) => typeof side === 'number');
  const [x0, y0, x1, y1] = box;
  return [
    {
      ...{ key, section: textOf(section, ''), label: textOf(label, key), value: String(read) },
      ...(typeof row === 'number' && { row }),
      ...(typeof confidence === 'number' && { confidence }),
      ...(typeof page === 'number' && { page }),
      ...(box.length === 4 && { bbox: [x0!, y0!, x1!, y1!] as const }),
    },
  ];
}

function textOf(value: JsonValue | undefined, fallback: string): LocalizedText {
  const { en, ru } = objectOf(value);
  return { en: typeof en === 'string' ? en : fallback, ru: typeof ru === 'string' ? ru : fallback };
}

function sheetOf(value: JsonValue | undefined): DocumentResult['sheet'] {
  const { width, height, turn } = objectOf(value);
  if (typeof width !== 'number' || typeof height !== 'number') return undefined;
  return { width, height, turn: turn === 90 || turn === 180 || turn === 270 ? turn : 0 };
}

const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : []);

const objectOf = (value: JsonValue | undefined): { readonly [key: string]: JsonValue | undefined } =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
