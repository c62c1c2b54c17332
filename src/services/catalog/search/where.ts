import type { Meant } from './expand.ts';
import type { Filters } from './filters.ts';
import type { Parameters } from './statement.ts';

/** Filters with what they come to in this database. */
export interface Narrowed {
  readonly filters: Filters;
  /** Of `q`, where there is one. */
  readonly meant?: Meant;
  /** Ids of the kinds of record that will do; absent where every kind does. */
  readonly kinds?: readonly number[];
  /** Numbers above it are not seen. */
  readonly upTo: number;
}

/**
 * The condition that filters make, over `catalog_records r`. It is the only one there is: pages, totals, facets and
 * exports all ask with it. Service, status, surface, group and defect are in `kinds`.
 */
export function where({ filters, meant, kinds, upTo }: Narrowed, { say }: Parameters): string {
  const { from, to, minConf, hasReport, hidden } = filters;
  const conditions = [hidden === true ? 'r.hidden' : 'not r.hidden', `r.number <= ${say(upTo)}::bigint`];
  if (kinds) conditions.push(`r.kind = any(${say(kinds)}::int[])`);
  if (from) conditions.push(`r.created_at >= ${say(from)}::timestamptz`);
  if (to) conditions.push(`r.created_at < ${say(to)}::timestamptz`);
  // As they are stored: 0.7 is a little less than 0.7 in four bytes.
  if (minConf !== undefined) conditions.push(`${confidence(filters, { say })} >= ${say(minConf)}::real`);
  if (hasReport !== undefined) conditions.push(`${hasReport ? '' : 'not '}${HAS_REPORT}`);
  if (meant) conditions.push(found(meant, { say }));
  return conditions.join('\n and ');
}

/** The confidence that filters are about: of the defect asked for, else of the group asked for, else of the surest defect. */
export function confidence({ defect, master }: Filters, { say }: Pick<Parameters, 'say'>): string {
  if (defect !== undefined) return `(r.defects ->> ${say(defect)}::text)::real`;
  return master === undefined ? 'r.top_conf' : 'r.master_conf';
}

const HAS_REPORT = `exists (select from reports p where p.record_id = r.record_id and p.status in ('open', 'in_review'))`;

function found(meant: Meant, parameters: Pick<Parameters, 'say'>): string {
  const byWords = `r.search @@ (${tsquery(meant, 'any', parameters)})`;
  return meant.ids.length === 0 ? byWords : `(${byWords} or r.number = any(${parameters.say(meant.ids)}::bigint[]))`;
}

/** The expression for what has to be in the text: every word `as written`, or `any` of what stands next to it. */
export function tsquery(meant: Meant, forms: 'as written' | 'any', { say }: Pick<Parameters, 'say'>): string {
  const parts = [
    ...meant.words.map((all) => `to_tsquery('russian', ${say(anyOf(forms === 'any' ? all : all.slice(0, 1)))})`),
    ...meant.phrases.map((phrase) => `phraseto_tsquery('russian', ${say(phrase)})`),
    ...meant.excluded.map((phrase) => `!! phraseto_tsquery('russian', ${say(phrase)})`),
  ];
  // Nothing that could be found was asked for, and so nothing is found.
  return parts.length === 0 ? `''::tsquery` : parts.join(' && ');
}

/** Words are letters and digits, and mean nothing to whoever reads the query. */
const anyOf = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' | ');
