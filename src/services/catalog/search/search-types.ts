import type { JsonObject, JsonValue } from '../../../base/json.ts';

/** `master` is the most likely defect group. */
export const FACET_NAMES = ['service', 'status', 'surface', 'master', 'defect', 'project', 'tag'] as const;
export type FacetName = (typeof FACET_NAMES)[number];

/** Distinct values per facet, at least one. */
export type FacetValues = Readonly<Partial<Record<FacetName, readonly string[]>>>;

/** All must match. A facet matches with any of its values, and without any of its excluded values. */
export interface Filters extends FacetValues {
  /** See {@link parseQuery}. */
  readonly q?: string;
  readonly excluded?: FacetValues;
  /** 0..1, of a `defect`, else of the `master`, else of the most confident defect. */
  readonly minConf?: number;
  /** Creation time, inclusive. */
  readonly from?: Date;
  /** Creation time, exclusive. */
  readonly to?: Date;
  readonly hasReport?: boolean;
  /** Whether another visible record has the same photo. */
  readonly duplicates?: boolean;
  /** Numbers of fields. */
  readonly ranges?: readonly FieldRange[];
  /** Fields that the record has, and that it does not have. */
  readonly has?: readonly string[];
  readonly hasNot?: readonly string[];
  /** Texts of fields: any of those of a field, of each field. */
  readonly attributes?: readonly Attribute[];
  readonly excludedAttributes?: readonly Attribute[];
  readonly hidden?: boolean;
}

/** Inclusive; at least one end is present. */
export interface FieldRange {
  readonly field: string;
  readonly min?: number;
  readonly max?: number;
}

/** A field of a document or attribute with a short text or truth value. */
export interface Attribute {
  readonly field: string;
  readonly value: string;
}

/** `relevance` requires `q`: exact matches rank above similar words. */
export const SORTS = ['newest', 'oldest', 'confidence', 'relevance'] as const;
export type Sort = (typeof SORTS)[number];

export interface Hit {
  readonly recordId: string;
  readonly service: string;
  readonly taskId: string | null;
  readonly status: 'done' | 'failed';
  /** The error code of a failed task. */
  readonly failure: string | null;
  readonly createdAt: Date;
  readonly title: string;
  readonly project: string | null;
  readonly tags: readonly string[];
  /** Plain text of at most 200 characters around the first match. */
  readonly snippet: string;
  readonly surface: string | null;
  readonly master: Scored | null;
  /** By descending confidence. */
  readonly defects: readonly Scored[];
  readonly image: { readonly width: number; readonly height: number } | null;
  /** Of a document, as in its result: a few for a page of hits. */
  readonly fields?: readonly JsonObject[];
  /** Open or in review. */
  readonly openReports: number;
  readonly hidden: boolean;
}

export interface Scored {
  readonly name: string;
  readonly conf: number;
}

/** Larger counts are reported as this one with `more`. */
export const MAX_COUNT = 1000;

/** Over all filters except the facet's own. With `more` a lower bound: above {@link MAX_COUNT}, or not all matches are counted. */
export type Facet = readonly { readonly value: string; readonly count: number; readonly more: boolean }[];

/** A field of documents or an attribute that visible records have. */
export interface KnownField {
  readonly name: string;
  /** Of one of its records. */
  readonly service: string;
  /** Of a document's field. */
  readonly label: Label | null;
  readonly hasNumbers: boolean;
  /** Whether it has some texts, but not many different ones. */
  readonly hasFewTexts: boolean;
}

/** The texts of a field with few different ones. */
export interface AttributeFacet {
  readonly field: string;
  /** Of a document's field. */
  readonly label: Label | null;
  readonly values: Facet;
}

export interface Label {
  readonly en: string;
  readonly ru: string;
}

export interface SearchResult {
  readonly items: readonly Hit[];
  /** Without the results before `after`. With `more` only a lower bound, but above the records of this page and the earlier ones unless it is the last page. */
  readonly total: number;
  /** Whether the matches are not counted: they are more than {@link MAX_COUNT} without facets, or than the facets count. */
  readonly more: boolean;
  readonly facets?: Readonly<Record<FacetName, Facet>>;
  /** Whether all matches of the facets are counted. */
  readonly facetsComplete?: boolean;
  readonly fields?: readonly KnownField[];
  /** By the number of records that have the field. */
  readonly attributes?: readonly AttributeFacet[];
  /** Pass it with the next page to exclude records indexed since. */
  readonly upTo: number;
  /** Of the last item, unless it is the last result. */
  readonly next: Position | undefined;
}

export interface Page {
  readonly sort: Sort;
  readonly page: number;
  readonly limit: number;
  readonly facets: boolean;
  /** Whether hits have `fields`. */
  readonly fields?: boolean;
  readonly upTo?: number;
  readonly after?: Position;
}

/** Of a result: its stage and the values of its order (see `stages` and `orderOf`). */
export interface Position {
  readonly stage: number;
  readonly keys: readonly unknown[];
}

/** The last result that a page reaches; further ones follow a position. */
export const MAX_RESULTS = 10_000;

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
