import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { JsonObject, JsonValue } from '../../../base/json.ts';

const Scored = Type.Object({ name: Type.String(), conf: Type.Number() });
const Timed = Type.Object({ start: Type.Number(), end: Type.Number(), text: Type.String() });
const Box = Type.Tuple([Type.Number(), Type.Number(), Type.Number(), Type.Number()]);
const LocalizedText = Type.Object({ en: Type.String(), ru: Type.String() });
const Sheet = Type.Object({ width: Type.Number(), height: Type.Number(), turn: Type.Enum([0, 90, 180, 270]) });
const Heatmaps = Type.Object({
  ...{ width: Type.Number(), height: Type.Number() },
  maps: Type.Record(Type.String(), Type.String()),
});

/** Parts of a `result` can be missing: the record can be imported or from an older version. */
export const photoOf = ({ surface, masters, defects, warnings, correction, model_version: model }: JsonObject) => ({
  surface: valid(Type.String(), surface),
  masters: validItems(Scored, masters),
  defects: validItems(Scored, defects),
  isUnfamiliar: correction === undefined && itemsOf(warnings).includes('UNFAMILIAR_IMAGE'),
  correction: valid(Type.Object({ confirmed: Type.Boolean() }), correction),
  model: valid(Type.String(), model),
});

export const speechOf = ({ transcription, language, segments, words, warnings }: JsonObject) => ({
  text: valid(Type.String(), transcription) ?? '',
  // Used as a `lang` attribute.
  language: valid(Type.String({ pattern: '^[a-z]{2,3}$' }), language),
  segments: validItems(Timed, segments),
  words: validItems(Timed, words),
  isIncomplete: itemsOf(warnings).includes('SPEECH_NOT_RECOGNIZED'),
});

/** `sheet`: the first page, which the picture shows. */
export const documentOf = ({ fields, sheets }: JsonObject) => ({
  fields: itemsOf(fields).flatMap(fieldOf),
  sheet: valid(Sheet, itemsOf(sheets)[0]),
});

export const failureOf = ({ error, error_code: code }: JsonObject) => ({
  code: valid(Type.String(), code) ?? '',
  sentence: valid(Type.String(), error) ?? '',
});

export function heatOf(attachment: JsonValue | null): Static<typeof Heatmaps> | undefined {
  const heat = valid(Heatmaps, attachment);
  return heat && Object.keys(heat.maps).length > 0 ? heat : undefined;
}

export type ReadField = ReturnType<typeof fieldOf>[number];

function fieldOf(item: JsonValue) {
  const { key, section, label, row, value, confidence, page, bbox } = item as JsonObject;
  if (typeof key !== 'string' || value === null || value === undefined || typeof value === 'object') return [];
  return [
    {
      key,
      section: valid(LocalizedText, section) ?? { en: '', ru: '' },
      label: valid(LocalizedText, label) ?? { en: key, ru: key },
      /** Table row, from 1. */
      row: valid(Type.Number(), row),
      value,
      confidence: valid(Type.Number(), confidence),
      page: valid(Type.Number(), page),
      bbox: valid(Box, bbox),
    },
  ];
}

const valid = <Schema extends TSchema>(schema: Schema, value: unknown): Static<Schema> | undefined =>
  Value.Check(schema, value) ? value : undefined;

const validItems = <Schema extends TSchema>(schema: Schema, list: unknown): Static<Schema>[] =>
  itemsOf(list).flatMap((item) => valid(schema, item) ?? []);

const itemsOf = (list: unknown): JsonValue[] => (Array.isArray(list) ? (list as JsonValue[]) : []);
