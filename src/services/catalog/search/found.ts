import type { JsonObject, JsonValue } from '../../../base/json.ts';
import type { Filters, Sort } from './filters.ts';

/** A record as a list shows it. */
export interface Hit {
  readonly recordId: string;
  readonly service: string;
  readonly taskId: string | null;
  readonly status: 'done' | 'failed';
  /** The code of why it failed; null for what has not, or where that has no code. */
  readonly failure: string | null;
  readonly createdAt: Date;
  readonly title: string;
  /** Of the text, around the first word that was looked for; plain text of at most 200 characters. */
  readonly snippet: string;
  readonly surface: string | null;
  readonly master: Scored | null;
  /** The surest first. */
  readonly defects: readonly Scored[];
  readonly image: { readonly width: number; readonly height: number } | null;
  /** Reports that are open or in review. */
  readonly openReports: number;
  readonly hidden: boolean;
}

export interface Scored {
  readonly name: string;
  readonly conf: number;
}

/** What a facet counts its values over: all filters but its own. */
export type FacetName = 'service' | 'status' | 'surface' | 'master' | 'defect';
/** The most frequent first. A count stops at 1000: `more` says that there are more. */
export type Facet = readonly { readonly value: string; readonly count: number; readonly more: boolean }[];

export interface Found {
  readonly items: readonly Hit[];
  readonly total: number;
  readonly facets?: Readonly<Record<FacetName, Facet>>;
  /** Records indexed later are not among these: a next page that is asked for with it continues this one. */
  readonly upTo: number;
}

export interface Page {
  readonly sort: Sort;
  readonly page: number;
  readonly limit: number;
  readonly facets: boolean;
  /** See {@link Found.upTo}. */
  readonly upTo?: number;
}

/** A record with all that is known of it. */
export interface Row extends Hit {
  /** The order of indexing. */
  readonly number: number;
  /** All of its text. */
  readonly text: string;
  readonly result: JsonObject;
  /** Heatmaps of a photo. */
  readonly attachment: JsonValue | null;
  readonly pictureKey: string | null;
  readonly soundKey: string | null;
  /** Its neighbours by time. */
  readonly prev: string | null;
  readonly next: string | null;
}

/** A record as an export has it: everything that a filter can ask for, the text, and the result. */
export interface Exported extends Omit<Hit, 'snippet'> {
  readonly text: string;
  readonly result: JsonObject;
}

/** The records as people find them. Whatever is hidden is not there, unless it is asked for. */
export interface Search {
  find(filters: Filters, page: Page): Promise<Found>;
  /** All of them, in the order of `sort`, in constant memory, at most a million; the same that `find` finds. */
  each(filters: Filters, sort: Sort): AsyncIterable<Exported>;
  /** A record, hidden or not: whoever asks decides what he tells of it. */
  row(recordId: string): Promise<Row | undefined>;
  /** How many there are that are not hidden, and how long what waits to be indexed has waited. */
  state(): Promise<{ documents: number; lastIndexedAt: Date | null; lagSeconds: number; rebuilding: boolean }>;
}
