import type { Db } from '../../src/base/db.ts';
import { entryOf } from '../../src/services/catalog/records/entry.ts';
import { write } from '../../src/services/catalog/records/write.ts';
import type { Filters, Sort } from '../../src/services/catalog/search/filters.ts';
import type { RecordDraft } from '../../src/services/records.ts';
import type { Random } from '../documents/random.ts';

/** A record in the oracle, independent of the database. */
export interface Known extends RecordDraft {
  readonly service: string;
  readonly recordId: string;
  /** Position in the order of writing, from 1. */
  readonly number: number;
  readonly hidden: boolean;
  readonly reported: boolean;
  readonly words: readonly string[];
}

// Each word has a distinct stem, no two words are similar, and one is part of the long one.
const WORDS = 'балкон крыша насос бетон железобетон фланец wall rust bridges 17 2024 зелёный квартира'.split(' ');
const PARTS = ['желез', 'елезоб', 'балк', 'ржав', 'ридж', 'brid', 'зелен', 'ЗЕЛЁН'];
const SERVICES = ['defectoscopy', 'stt', 'passports'];
const SURFACES = ['wall', 'floor', 'потолок'];
const MASTERS = ['plaster', 'brick'];
const DEFECTS = ['crack', 'rust', 'скол', "o'clock"];
const CONFS = [0, 0.1, 0.5, 0.7, 0.9, 0.91, 1];
const DAY_MS = 86_400_000;
const EPOCH = Date.UTC(2026, 0, 1);

/** Writes random records with the indexer's code; some are reported or hidden. */
export async function seedKnown(db: Db, random: Random, count: number, from = 1): Promise<Known[]> {
  const records = Array.from({ length: count }, (_, i) => known(random, from + i));
  await db.transaction((tx) =>
    write(
      tx,
      records.map(({ service, ...draft }) => entryOf(service, draft)),
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
  await db.query('update catalog_records set hidden = true where catalog_hidden(record_id) and not hidden');
  return records;
}

function known(random: Random, number: number): Known {
  const service = random.pick(SERVICES);
  const taskId = `task${number}`;
  const title = sentence(random, 0, 3);
  const text = sentence(random, 0, 8);
  const photo = service === 'defectoscopy';
  const names = photo ? DEFECTS.filter(() => random.chance(0.4)) : [];
  return {
    ...{ service, taskId, title, text, number },
    recordId: `${service}:${taskId}`,
    status: random.chance(0.8) ? 'done' : 'failed',
    createdAt: new Date(EPOCH + random.whole(0, 40) * (DAY_MS / 4)),
    ...(photo && random.chance(0.8) && { surface: random.pick(SURFACES) }),
    ...(photo && random.chance(0.8) && { master: { name: random.pick(MASTERS), conf: random.pick(CONFS) } }),
    defects: names.map((name) => ({ name, conf: random.pick(CONFS) })),
    result: { number },
    hidden: random.chance(0.1),
    reported: random.chance(0.15),
    words: plain(`${title} ${text}`),
  };
}

const sentence = (random: Random, least: number, most: number) =>
  Array.from({ length: random.whole(least, most) }, () => random.pick(WORDS)).join(random.pick([' ', ', ', '-']));
const plain = (text: string) =>
  text
    .toLowerCase()
    .replaceAll('ё', 'е')
    .split(/[ ,-]+/)
    .filter(Boolean);

/** Random filters; `terms` are the parsed terms of `q`. */
export interface Question {
  readonly filters: Filters;
  readonly asked: readonly { readonly kind: 'part' | 'phrase' | 'not'; readonly words: readonly string[] }[];
}

export function question(random: Random): Question {
  const terms = random.chance(0.5) ? Array.from({ length: random.whole(1, 3) }, () => wanted(random)) : [];
  const q = terms.map(({ kind, words }) => {
    const text = words.join(' ');
    if (kind === 'part') return text;
    return kind === 'phrase' ? `"${text}"` : words.length > 1 ? `-"${text}"` : `-${text}`;
  });
  const some = (share: number) => random.chance(share);
  return {
    asked: terms,
    filters: {
      ...(q.length > 0 && { q: q.join(' ') }),
      ...(some(0.3) && { service: random.pick([...SERVICES, 'import']) }),
      ...(some(0.2) && { status: random.pick(['done', 'failed'] as const) }),
      ...(some(0.2) && { surface: random.pick(SURFACES) }),
      ...(some(0.2) && { master: random.pick(MASTERS) }),
      ...(some(0.25) && { defect: random.pick([...DEFECTS, 'none']) }),
      ...(some(0.3) && { minConf: random.pick([...CONFS, 0.7000001]) }),
      ...(some(0.2) && { from: new Date(EPOCH + random.whole(0, 40) * (DAY_MS / 4)) }),
      ...(some(0.2) && { to: new Date(EPOCH + random.whole(0, 44) * (DAY_MS / 4)) }),
      ...(some(0.2) && { hasReport: random.chance(0.5) }),
      ...(some(0.1) && { hidden: true }),
    },
  };
}

function wanted(random: Random): Question['asked'][number] {
  const kind = random.pick(['part', 'part', 'phrase', 'not'] as const);
  if (kind === 'part') return { kind, words: [random.pick([...WORDS, ...PARTS])] };
  return { kind, words: Array.from({ length: random.whole(1, 2) }, () => random.pick(WORDS)) };
}

/** Independent implementation of the documented contract. */
export function finds({ filters, asked }: Question, record: Known): boolean {
  const { service, status, surface, master, defect, minConf, from, to, hasReport, hidden } = filters;
  const conf = confOf(filters, record);
  return (
    record.hidden === (hidden ?? false) &&
    (service === undefined || record.service === service) &&
    (status === undefined || record.status === status) &&
    (surface === undefined || record.surface === surface) &&
    (master === undefined || record.master?.name === master) &&
    (defect === undefined || record.defects!.some(({ name }) => name === defect)) &&
    (minConf === undefined || (conf !== undefined && Math.fround(conf) >= Math.fround(minConf))) &&
    (from === undefined || record.createdAt >= from) &&
    (to === undefined || record.createdAt < to) &&
    (hasReport === undefined || record.reported === hasReport) &&
    asked.every(({ kind, words }) => {
      if (kind === 'part') return hasPart(record.words, plain(words[0]!)[0]!);
      return hasPhrase(record.words, words.flatMap(plain)) === (kind === 'phrase');
    })
  );
}

function confOf({ defect, master }: Filters, record: Known): number | undefined {
  if (defect !== undefined) return record.defects!.find(({ name }) => name === defect)?.conf;
  if (master !== undefined) return record.master?.conf;
  return record.defects!.length === 0 ? undefined : Math.max(...record.defects!.map(({ conf }) => conf));
}

const hasPart = (words: readonly string[], part: string) =>
  words.some((word) => word === part || (/\D/.test(part) && word.includes(part)));

const hasPhrase = (words: readonly string[], phrase: readonly string[]) =>
  words.some((_, i) => phrase.every((word, j) => words[i + j] === word));

/** Ids of the matching records in the order of `sort`, which is unspecified for `relevance`. */
export function brute(records: readonly Known[], question: Question, sort: Sort): string[] {
  const found = records.filter((record) => finds(question, record));
  const later = (a: Known, b: Known) => b.createdAt.getTime() - a.createdAt.getTime() || b.number - a.number;
  const surer = (a: Known, b: Known) =>
    Math.fround(confOf(question.filters, b) ?? -1) - Math.fround(confOf(question.filters, a) ?? -1) || later(a, b);
  const compare = { newest: later, relevance: later, oldest: (a: Known, b: Known) => later(b, a), confidence: surer }[
    sort
  ];
  return found.sort(compare).map(({ recordId }) => recordId);
}

export const FACETS = ['service', 'status', 'surface', 'master', 'defect'] as const;

export function bruteFacet(records: readonly Known[], { filters, asked }: Question, name: (typeof FACETS)[number]) {
  const { [name]: _, ...others } = filters;
  const counts = new Map<string, number>();
  for (const record of records) {
    if (!finds({ filters: others, asked }, record)) continue;
    const { [name === 'defect' ? 'defects' : name]: value } = record;
    const values = Array.isArray(value) ? value.map((each) => each.name as string) : [nameOf(value)];
    for (const one of values) if (one !== undefined) counts.set(one, (counts.get(one) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

function nameOf(value: unknown): string | undefined {
  if (typeof value === 'string' || value === undefined) return value;
  return (value as { name: string }).name;
}
