import { CLIENT_LIMIT_MS, type Queryable } from '../../../base/db.ts';
import type { CompletedDocument } from '../documents.ts';
import { isSameValue, type Value } from '../extraction.ts';

/** Upper bounds of the confidence bands, in thousandths; the last band contains 1. */
const BAND_ENDS = [500, 800, 950, 1001] as const;
/** Counts documents. */
const DOCUMENTS = '';
const ALL_FIELDS = '*';
const NOT_MEASURED = -1;

/**
 * Counts the change from `before` to `after` in the statistics of its readings. The first correction or confirmation
 * counts all values of the document, later ones the difference. Runs last in the transaction, which holds the lock of the
 * document, because the counters are shared by all documents.
 */
export async function recordQuality(tx: Queryable, before: CompletedDocument, after: CompletedDocument): Promise<void> {
  const { engine, fields } = before.extraction;
  const isFirst = before.edits.length === 0 && before.confirmation === null;
  const [old, now] = [editedValues(before), editedValues(after)];
  const counts = new Map<string, Count>();
  if (isFirst) addTo(counts, { field: DOCUMENTS, confidence: 0 }, { read: 1, corrected: 0, missed: 0 });
  for (const key of isFirst ? new Set([...Object.keys(fields), ...now.keys()]) : now.keys()) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    const read = field?.value ?? null;
    const change = subtract(compare(read, now, key), isFirst ? NOTHING : compare(read, old, key));
    const confidence = read === null ? null : field!.confidence;
    addTo(counts, { field: fieldOf(key), confidence: toThousandths(confidence) }, change);
  }
  const rows = [...counts.values()].filter(({ read, corrected, missed }) => read || corrected || missed);
  if (rows.length === 0) return;
  await tx.query(ADD, [
    engine.version,
    ...(['field', 'confidence', 'read', 'corrected', 'missed'] as const).map((name) => rows.map((row) => row[name])),
  ]);
}

interface Numbers {
  read: number;
  corrected: number;
  missed: number;
}
type Count = Numbers & { field: string; confidence: number };

const NOTHING: Numbers = { read: 0, corrected: 0, missed: 0 };

const editedValues = ({ edits }: CompletedDocument) => new Map(edits.map(({ key, value }) => [key, value]));

function compare(read: Value, edited: ReadonlyMap<string, Value>, key: string): Numbers {
  const now = edited.has(key) ? edited.get(key)! : read;
  if (read === null) return { ...NOTHING, missed: now === null ? 0 : 1 };
  return { read: 1, corrected: isSameValue(read, now) ? 0 : 1, missed: 0 };
}

const subtract = (a: Numbers, b: Numbers): Numbers => ({
  read: a.read - b.read,
  corrected: a.corrected - b.corrected,
  missed: a.missed - b.missed,
});

function addTo(counts: Map<string, Count>, at: Pick<Count, 'field' | 'confidence'>, more: Numbers): void {
  const key = `${at.field} ${at.confidence}`;
  const { read, corrected, missed } = counts.get(key) ?? NOTHING;
  counts.set(key, {
    ...at,
    read: read + more.read,
    corrected: corrected + more.corrected,
    missed: missed + more.missed,
  });
}

/** `rooms:3.area` → `rooms:area`. */
const fieldOf = (key: string): string => key.replace(/:[\d.]+\./, ':');

// Rounded first: 0.29 * 1000 is slightly less than 290.
const toThousandths = (confidence: number | null): number =>
  confidence === null ? NOT_MEASURED : Math.floor(Math.round(confidence * 1e6) / 1e3);

export interface FieldQuality {
  /** Values that were read. */
  readonly read: number;
  readonly corrected: number;
  /** Values that a person added. */
  readonly missed: number;
  /** From low to high confidence; values without a confidence are in none. */
  readonly bands: readonly {
    readonly from: number;
    readonly to: number;
    readonly read: number;
    readonly corrected: number;
  }[];
  /** The lowest confidence from which the values reach the chosen precision, and their number; null without such values. */
  readonly automatic: { readonly threshold: number; readonly read: number } | null;
}

export interface Quality {
  readonly documents: number;
  readonly total: FieldQuality;
  /** By `section:field` or `section:column`. */
  readonly fields: ReadonlyMap<string, FieldQuality>;
}

/** Of all owners, for the readings of one engine version. */
export async function readQuality(db: Queryable, engine: string, precision: number): Promise<Quality> {
  const { rows } = await db.query<Row>(READ, [engine, precision]);
  const fields = new Map(rows.map((row) => [row.field, toFieldQuality(row)]));
  const [documents, total] = [fields.get(DOCUMENTS), fields.get(ALL_FIELDS)];
  fields.delete(DOCUMENTS);
  fields.delete(ALL_FIELDS);
  return { documents: documents?.read ?? 0, total: total ?? emptyQuality(), fields };
}

export const emptyQuality = (): FieldQuality => toFieldQuality(undefined);

function toFieldQuality(row: Row | undefined): FieldQuality {
  return {
    read: row?.read ?? 0,
    corrected: row?.corrected ?? 0,
    missed: row?.missed ?? 0,
    bands: BAND_ENDS.map((end, i) => ({
      from: (BAND_ENDS[i - 1] ?? 0) / 1000,
      to: Math.min(1000, end) / 1000,
      read: row?.band_read[i] ?? 0,
      corrected: row?.band_corrected[i] ?? 0,
    })),
    automatic: row?.threshold == null ? null : { threshold: row.threshold / 1000, read: row.automatic! },
  };
}

interface Row {
  field: string;
  read: number;
  corrected: number;
  missed: number;
  band_read: number[];
  band_corrected: number[];
  threshold: number | null;
  automatic: number | null;
}

// Ordered, so that concurrent transactions lock the counters in the same order.
const ADD = {
  name: 'passport-add-quality',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    insert into passport_quality as q (engine, field, confidence, value_count, corrected, missed)
    select $1, field, confidence, value_count, corrected, missed
      from unnest($2::text[], $3::smallint[], $4::bigint[], $5::bigint[], $6::bigint[])
        as c (field, confidence, value_count, corrected, missed)
     order by field, confidence
        on conflict (engine, field, confidence) do update
       set value_count = q.value_count + excluded.value_count,
           corrected = q.corrected + excluded.corrected,
           missed = q.missed + excluded.missed`,
};

const bandSums = (column: string): string =>
  `array[${BAND_ENDS.map((end, i) => {
    const from = BAND_ENDS[i - 1] ?? 0;
    return `coalesce(sum(${column}) filter (where confidence >= ${from} and confidence < ${end}), 0)::float8`;
  }).join(', ')}]`;

const READ = {
  name: 'passport-quality',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    with counted as materialized (
      select field, confidence, value_count, corrected, missed from passport_quality where engine = $1
      union all
      select '${ALL_FIELDS}', confidence, sum(value_count), sum(corrected), sum(missed)
        from passport_quality
       where engine = $1 and field <> '${DOCUMENTS}'
       group by confidence
    ),
    cumulated as (
      select field, confidence,
             sum(value_count) over best as value_count,
             sum(corrected) over best as corrected
        from counted
       where confidence >= 0
      window best as (partition by field order by confidence desc)
    ),
    automatic as (
      select distinct on (field) field, confidence as threshold, value_count
        from cumulated
       where value_count > 0 and corrected <= (1 - $2::numeric) * value_count
       order by field, confidence
    )
    select c.field, sum(c.value_count)::float8 as read, sum(c.corrected)::float8 as corrected,
           sum(c.missed)::float8 as missed,
           ${bandSums('c.value_count')} as band_read, ${bandSums('c.corrected')} as band_corrected,
           max(a.threshold) as threshold, max(a.value_count)::float8 as automatic
      from counted c
      left join automatic a using (field)
     group by c.field`,
};
