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
  /** Numbers of records with a report that is open or in review, where it matters. */
  readonly reported?: readonly number[];
  /** Numbers above it are not seen. */
  readonly upTo: number;
}

export type Say = Pick<Parameters, 'say'>;
/** A condition over `catalog_records r`. */
export type Condition = (parameters: Say) => string;

/**
 * The condition that filters make, but for `q`. It is the only one there is: pages, totals, facets and exports all ask
 * with it. Service, status, surface, group and defect are in `kinds`.
 */
export function where({ filters, kinds, reported, upTo }: Narrowed, { say }: Say): string {
  const { from, to, minConf, hasReport, hidden } = filters;
  const conditions = [hidden === true ? 'r.hidden' : 'not r.hidden', `r.number <= ${say(upTo)}::bigint`];
  if (kinds) conditions.push(`r.kind = any(${say(kinds)}::int[])`);
  if (from) conditions.push(`r.created_at >= ${say(from)}::timestamptz`);
  if (to) conditions.push(`r.created_at < ${say(to)}::timestamptz`);
  // As confidences are stored: 0.7 is a little less than 0.7 in four bytes, and what is too small for them is 0.
  if (minConf !== undefined) conditions.push(`${confidence(filters, { say })} >= ${say(Math.fround(minConf))}::real`);
  if (reported) conditions.push(`r.number ${hasReport ? '= any' : '<> all'}(${say(reported)}::bigint[])`);
  return conditions.join(' and ');
}

/**
 * The confidence that filters are about: of the defect asked for, else of the group asked for, else of the surest defect;
 * -1 where there is none.
 */
export function confidence({ defect, master }: Filters, { say }: Say): string {
  if (defect !== undefined) return `coalesce((r.defects ->> ${say(defect)}::text)::real, -1)`;
  return `coalesce(${master === undefined ? 'r.top_conf' : 'r.master_conf'}, -1)`;
}

/** What comes together: `words` finds candidates by an index of words, `rest` is asked of them, or of all. */
export interface Stage {
  readonly words?: Condition;
  readonly rest: Condition;
}

/** What `q` makes of records, in the same sense as {@link where}: they have the words, or are called so. */
export function found(meant: Meant | undefined): Stage {
  if (meant === undefined) return { rest: () => 'true' };
  const { ids } = meant;
  const named = (condition: Condition): Condition =>
    ids.length === 0 ? condition : (p) => `(${condition(p)} or r.number = any(${p.say(ids)}::bigint[]))`;
  if (onlyExcludes(meant)) return { rest: named((p) => without(meant, p)) };
  return { words: named((p) => `r.search @@ (${tsquery(meant, 'any', p)})`), rest: () => 'true' };
}

export const onlyExcludes = ({ words, phrases, excluded }: Meant): boolean =>
  words.length + phrases.length === 0 && excluded.length > 0;

/** An index of words finds what has them; what has not is the others. */
export function without({ excluded }: Meant, { say }: Say): string {
  const any = excluded.map((phrase) => `phraseto_tsquery('russian', ${say(phrase)})`);
  return `not exists (select from catalog_records x where x.number = r.number and x.search @@ (${any.join(' || ')}))`;
}

/**
 * What is read from: the records `r` that the words of a stage find, and nothing else is looked up before. The planner
 * does not know that the words of a row lie elsewhere and are dear to read, and would gladly read those of half the table.
 */
export function records({ words }: Stage, parameters: Say): string {
  if (words === undefined) return 'catalog_records r';
  return `(select * from catalog_records r where ${words(parameters)} offset 0) r`;
}

/** The expression for what has to be in the text: every word `as written`, or `any` of what stands next to it. */
export function tsquery(meant: Meant, forms: 'as written' | 'any', { say }: Say): string {
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
