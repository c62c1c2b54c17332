import type { JsonObject, JsonValue } from '../../../base/json.ts';
import type { Filters, Sort } from './filters.ts';

export interface Hit {
  readonly recordId: string;
  readonly service: string;
  readonly taskId: string | null;
  readonly status: 'done' | 'failed';
  /** The error code of a failed task. */
  readonly failure: string | null;
  readonly createdAt: Date;
  readonly title: string;
  /** Plain text of at most 200 characters around the first match. */
  readonly snippet: string;
  readonly surface: string | null;
  readonly master: Scored | null;
  /** By descending confidence. */
  readonly defects: readonly Scored[];
  readonly image: { readonly width: number; readonly height: number } | null;
  /** Open or in review. */
  readonly openReports: number;
  readonly hidden: boolean;
}

export interface Scored {
  readonly name: string;
  readonly conf: number;
}

export const FACET_NAMES = ['service', 'status', 'surface', 'master', 'defect'] as const;
export type FacetName = (typeof FACET_NAMES)[number];
/** Over all filters except the facet's own. Counts are capped at 1000: `more`. */
export type Facet = readonly { readonly value: string; readonly count: number; readonly more: boolean }[];

export interface SearchResult {
  readonly items: readonly Hit[];
  readonly total: number;
  readonly facets?: Readonly<Record<FacetName, Facet>>;
  /** Pass it with the next page to exclude records indexed since. */
  readonly upTo: number;
}

export interface Page {
  readonly sort: Sort;
  readonly page: number;
  readonly limit: number;
  readonly facets: boolean;
  readonly upTo?: number;
}

export interface Row extends Hit {
  readonly text: string;
  readonly result: JsonObject;
  readonly attachment: JsonValue | null;
  readonly soundKey: string | null;
  /** Record ids of the next older and newer record. */
  readonly prev: string | null;
  readonly next: string | null;
}

export interface ExportedRecord extends Omit<Hit, 'snippet'> {
  readonly text: string;
  readonly result: JsonObject;
}

/** Excludes hidden records unless `filters.hidden` is set. */
export interface Search {
  find(filters: Filters, page: Page): Promise<SearchResult>;
  /** At most a million, in constant memory. */
  stream(filters: Filters, sort: Sort): AsyncIterable<ExportedRecord>;
  /** Includes hidden records: the caller must check access. */
  row(recordId: string): Promise<Row | undefined>;
  /** `lagSeconds`: waiting time of the oldest task to be indexed. */
  state(): Promise<{ documents: number; lastIndexedAt: Date | null; lagSeconds: number; rebuilding: boolean }>;
}
