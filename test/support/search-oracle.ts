import type { Db } from '../../src/base/db.ts';
import { createEntry } from '../../src/services/catalog/records/entry.ts';
import { writeRecords } from '../../src/services/catalog/records/write.ts';
import type { FacetName, Filters, Sort } from '../../src/services/catalog/search/search-types.ts';
import type { RecordDraft } from '../../src/services/shared/records.ts';
import type { Random } from '../passports/accuracy/random.ts';

/** A record in the oracle, independent of the database. */
export interface OracleRecord extends RecordDraft {
  readonly service: string;
  readonly recordId: string;
  /** Position in the order of writing, from 1. */
  readonly number: number;
  readonly hidden: boolean;
  readonly reported: boolean;
  /** Equal for records of the same photo. */
  readonly photo: number | null;
  /** Whether another visible record has the photo. */
  readonly duplicate: boolean;
  readonly words: readonly string[];
  readonly fields: Readonly<Record<string, string | number>>;
}

// Each word has a distinct stem, no two words are similar, and one is part of the long one.
const WORDS = 'балкон крыша насос бетон железобетон фланец wall rust bridges 17 2024 зелёный квартира'.split(' ');
const PARTS = ['желез', 'елезоб', 'балк', 'ржав', 'ридж', 'brid', 'зелен', 'ЗЕЛЁН'];
const SERVICES = ['defectoscopy', 'stt', 'passports'];
const SURFACES = ['wall', 'floor', 'потолок'];
const MASTERS = ['plaster', 'brick'];
const DEFECTS = ['crack', 'rust', 'скол', "o'clock"];
const CONFS = [0, 0.1, 0.5, 0.7, 0.9, 0.91, 1];
const PROJECTS = ['Bridge 7', 'bridge 7', "Мост '7'"];
const TAGS = ['north', 'юг', 'a, b', 'crack'];
export const FIELDS = ['general:year_built', 'areas:total_area', 'note'];
const TEXTS = ['Petrov', 'Иванова', 'petrov', 'a=b'];
const NUMBERS = [-1.5, 0, 1960, 1974, 1980.25];
const DAY_MS = 86_400_000;
const EPOCH = Date.UTC(2026, 0, 1);

/** Writes random records with the indexer's code; some are reported or hidden. */
export async function seedRandomRecords(
  db: Db,
  random: Random,
  count: number,
  { from = 1, inOrder = false }: { from?: number; inOrder?: boolean } = {},
): Promise<OracleRecord[]> {
  const generated = Array.from({ length: count }, (_, i) => {
    const record = randomRecord(random, from + i);
    // Each call has photos of its own.
    return { ...record, photo: record.photo && 100 * from + record.photo };
  });
  const times = generated.map(({ createdAt }) => createdAt).sort((a, b) => Number(a) - Number(b));
  const drafts = inOrder ? generated.map((record, i) => ({ ...record, createdAt: times[i]! })) : generated;
  const records = drafts.map((record) => ({
    ...record,
    duplicate: drafts.some(
      (other) => other !== record && !other.hidden && other.photo === record.photo && record.photo !== null,
    ),
  }));
  await db.transaction((tx) =>
    writeRecords(
      tx,
      records.map(({ service, ...draft }) => createEntry(service, draft)),
    ),
  );
  await db.query(
    `insert into reports (id, record_id, action_type, status, reporter, receipt, resolved_at)
     select 'rep_' || record_id || '_' || place, record_id, 'hide', status, 'test', '', case when status = 'accepted' then now() end
       from unnest($1::text[], $2::text[]) with ordinality as r (record_id, status, place)`,
    [
      records.flatMap(({ recordId, reported, hidden }) => [
        ...(reported ? [recordId] : []),
        ...(hidden ? [recordId] : []),
      ]),
      records.flatMap(({ reported, hidden, number }) => [
        ...(reported ? [number % 2 === 0 ? 'open' : 'in_review'] : []),
        ...(hidden ? ['accepted'] : []),
      ]),
    ],
  );
  await db.query(
    `insert into catalog_photos (number, photo)
     select r.number, e.photo from unnest($1::text[], $2::bigint[]) as e (record_id, photo) join catalog_records r using (record_id)`,
    [records.map(({ recordId }) => recordId), records.map(({ photo }) => photo)],
  );
  await db.query('update catalog_records set hidden = true where catalog_hidden(record_id) and not hidden');
  return records;
}

function randomRecord(random: Random, number: number): Omit<OracleRecord, 'duplicate'> {
  const service = random.pick(SERVICES);
  const taskId = `task${number}`;
  const title = randomText(random, 0, 3);
  const text = randomText(random, 0, 8);
  const photo = service === 'defectoscopy';
  const names = photo ? DEFECTS.filter(() => random.chance(0.4)) : [];
  return {
    ...{ service, taskId, title, text, number },
    recordId: `${service}:${taskId}`,
    status: random.chance(0.8) ? 'done' : 'failed',
    createdAt: new Date(EPOCH + random.integer(0, 40) * (DAY_MS / 4)),
    ...(photo && random.chance(0.8) && { surface: random.pick(SURFACES) }),
    ...(photo && random.chance(0.8) && { master: { name: random.pick(MASTERS), conf: random.pick(CONFS) } }),
    ...(random.chance(0.5) && { project: random.pick(PROJECTS) }),
    ...(random.chance(0.5) && { tags: TAGS.filter(() => random.chance(0.5)).reverse() }),
    defects: names.map((name) => ({ name, conf: random.pick(CONFS) })),
    fields: Object.fromEntries(
      FIELDS.filter(() => random.chance(0.6)).map((name) => [
        name,
        random.chance(0.7) ? random.pick(NUMBERS) : random.pick(TEXTS),
      ]),
    ),
    result: { number },
    photo: random.chance(0.5) ? random.integer(1, 60) : null,
    hidden: random.chance(0.1),
    reported: random.chance(0.15),
    words: splitWords(`${title} ${text}`),
  };
}

const randomText = (random: Random, least: number, most: number) =>
  Array.from({ length: random.integer(least, most) }, () => random.pick(WORDS)).join(random.pick([' ', ', ', '-']));
const splitWords = (text: string) =>
  text
    .toLowerCase()
    .replaceAll('ё', 'е')
    .split(/[ ,-]+/)
    .filter(Boolean);

/** Random filters; `terms` are the parsed terms of `q`. */
export interface OracleQuery {
  readonly filters: Filters;
  readonly terms: readonly { readonly kind: 'part' | 'phrase' | 'not'; readonly words: readonly string[] }[];
}

export function randomQuery(random: Random): OracleQuery {
  const terms = random.chance(0.5) ? Array.from({ length: random.integer(1, 3) }, () => randomTerm(random)) : [];
  const q = terms.map(({ kind, words }) => {
    const text = words.join(' ');
    if (kind === 'part') return text;
    return kind === 'phrase' ? `"${text}"` : words.length > 1 ? `-"${text}"` : `-${text}`;
  });
  const chance = (share: number) => random.chance(share);
  return {
    terms,
    filters: {
      ...(q.length > 0 && { q: q.join(' ') }),
      ...randomValues(random, 0.18),
      ...(chance(0.3) && { excluded: randomValues(random, 0.15) }),
      ...(chance(0.3) && { minConf: random.pick([...CONFS, 0.7000001]) }),
      ...(chance(0.2) && { from: new Date(EPOCH + random.integer(0, 40) * (DAY_MS / 4)) }),
      ...(chance(0.2) && { to: new Date(EPOCH + random.integer(0, 44) * (DAY_MS / 4)) }),
      ...(chance(0.2) && { hasReport: random.chance(0.5) }),
      ...(chance(0.15) && { duplicates: random.chance(0.7) }),
      ...(chance(0.2) && { ranges: Array.from({ length: random.integer(1, 2) }, () => randomRange(random)) }),
      ...(chance(0.15) && { has: [...FIELDS, 'project', 'tag'].slice(random.integer(0, 4)) }),
      ...(chance(0.15) && { hasNot: [random.pick([...FIELDS, 'project', 'tag', 'unknown'])] }),
      ...(chance(0.15) && { attributes: Array.from({ length: random.integer(1, 2) }, () => randomAttribute(random)) }),
      ...(chance(0.15) && { excludedAttributes: [randomAttribute(random)] }),
      ...(chance(0.1) && { hidden: true }),
    },
  };
}

const FACET_VALUES: Record<FacetName, readonly string[]> = {
  service: [...SERVICES, 'import'],
  status: ['done', 'failed'],
  surface: SURFACES,
  master: MASTERS,
  defect: [...DEFECTS, 'none'],
  project: [...PROJECTS, 'none'],
  tag: [...TAGS, 'none'],
};

function randomValues(random: Random, share: number): Partial<Record<FacetName, readonly string[]>> {
  return Object.fromEntries(
    FACETS.filter(() => random.chance(share)).map((name) => {
      const some = FACET_VALUES[name].filter(() => random.chance(0.4));
      return [name, some.length > 0 ? some : [random.pick(FACET_VALUES[name])]];
    }),
  );
}

function randomRange(random: Random): NonNullable<Filters['ranges']>[number] {
  const [min, max] = [random.pick(NUMBERS), random.pick(NUMBERS)];
  return { field: random.pick(FIELDS), ...random.pick([{ min }, { max }, { min, max }]) };
}

const randomAttribute = (random: Random) => ({ field: random.pick(FIELDS), value: random.pick([...TEXTS, 'none']) });

function randomTerm(random: Random): OracleQuery['terms'][number] {
  const kind = random.pick(['part', 'part', 'phrase', 'not'] as const);
  if (kind === 'part') return { kind, words: [random.pick([...WORDS, ...PARTS])] };
  return { kind, words: Array.from({ length: random.integer(1, 2) }, () => random.pick(WORDS)) };
}

/** Independent implementation of the documented contract. */
export function matchesQuery({ filters, terms }: OracleQuery, record: OracleRecord): boolean {
  const {
    excluded = {},
    minConf,
    from,
    to,
    hasReport,
    duplicates,
    hidden,
    ranges = [],
    has = [],
    hasNot = [],
    attributes = [],
    excludedAttributes = [],
  } = filters;
  const conf = confOf(filters, record);
  return (
    record.hidden === (hidden ?? false) &&
    FACETS.every((name) => {
      const values = valuesOf(record, name);
      const isWanted = filters[name] === undefined || filters[name].some((value) => values.includes(value));
      return isWanted && !(excluded[name] ?? []).some((value) => values.includes(value));
    }) &&
    (minConf === undefined || (conf !== undefined && Math.fround(conf) >= Math.fround(minConf))) &&
    (from === undefined || record.createdAt >= from) &&
    (to === undefined || record.createdAt < to) &&
    (hasReport === undefined || record.reported === hasReport) &&
    (duplicates === undefined || record.duplicate === duplicates) &&
    ranges.every(({ field, min = -Infinity, max = Infinity }) => {
      const value = record.fields[field];
      return typeof value === 'number' && value >= min && value <= max;
    }) &&
    has.every((field) => hasField(record, field)) &&
    !hasNot.some((field) => hasField(record, field)) &&
    attributes.every(({ field }) =>
      attributes.some((each) => each.field === field && record.fields[field] === each.value),
    ) &&
    !excludedAttributes.some(({ field, value }) => record.fields[field] === value) &&
    terms.every(({ kind, words }) => {
      if (kind === 'part') return hasPart(record.words, splitWords(words[0]!)[0]!);
      return hasPhrase(record.words, words.flatMap(splitWords)) === (kind === 'phrase');
    })
  );
}

const hasField = (record: OracleRecord, field: string) =>
  field in record.fields || ((field === 'project' || field === 'tag') && valuesOf(record, field).length > 0);

function confOf({ defect, master }: Filters, record: OracleRecord): number | undefined {
  if (defect === undefined && master !== undefined) return record.master?.conf;
  const considered = record.defects!.filter(({ name }) => defect?.includes(name) ?? true);
  return considered.length === 0 ? undefined : Math.max(...considered.map(({ conf }) => conf));
}

function valuesOf(record: OracleRecord, name: FacetName): readonly string[] {
  const { service, status, surface, master, project } = record;
  if (name === 'defect') return record.defects!.map((each) => each.name);
  if (name === 'tag') return record.tags ?? [];
  const { [name]: value } = { service, status, surface, master: master?.name, project };
  return value === undefined ? [] : [value];
}

const hasPart = (words: readonly string[], part: string) =>
  words.some((word) => word === part || (/\D/.test(part) && word.includes(part)));

const hasPhrase = (words: readonly string[], phrase: readonly string[]) =>
  words.some((_, i) => phrase.every((word, j) => words[i + j] === word));

/** Ids of the matching records in the order of `sort`, which is unspecified for `relevance`. */
export function bruteForceSearch(records: readonly OracleRecord[], question: OracleQuery, sort: Sort): string[] {
  const found = records.filter((record) => matchesQuery(question, record));
  const byDate = (a: OracleRecord, b: OracleRecord) =>
    b.createdAt.getTime() - a.createdAt.getTime() || b.number - a.number;
  const byConfidence = (a: OracleRecord, b: OracleRecord) =>
    Math.fround(confOf(question.filters, b) ?? -1) - Math.fround(confOf(question.filters, a) ?? -1) || byDate(a, b);
  const compare = {
    newest: byDate,
    relevance: byDate,
    oldest: (a: OracleRecord, b: OracleRecord) => byDate(b, a),
    confidence: byConfidence,
  }[sort];
  return found.sort(compare).map(({ recordId }) => recordId);
}

export const FACETS = ['service', 'status', 'surface', 'master', 'defect', 'project', 'tag'] as const;

export function bruteForceFacet(
  records: readonly OracleRecord[],
  { filters, terms }: OracleQuery,
  name: (typeof FACETS)[number],
) {
  const { [name]: _, excluded: { [name]: __, ...excluded } = {}, ...rest } = filters;
  const others = { ...rest, excluded };
  const counts = new Map<string, number>();
  for (const record of records) {
    if (!matchesQuery({ filters: others, terms }, record)) continue;
    for (const value of valuesOf(record, name)) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

/** Counts per text of a field, of all filters except the field's own. */
export function bruteForceAttribute(records: readonly OracleRecord[], { filters, terms }: OracleQuery, field: string) {
  const { attributes, excludedAttributes, ...rest } = filters;
  const others = {
    ...rest,
    attributes: attributes?.filter((each) => each.field !== field) ?? [],
    excludedAttributes: excludedAttributes?.filter((each) => each.field !== field) ?? [],
  };
  const counts = new Map<string, number>();
  for (const record of records) {
    const text = record.fields[field];
    if (typeof text !== 'string' || !matchesQuery({ filters: others, terms }, record)) continue;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}
