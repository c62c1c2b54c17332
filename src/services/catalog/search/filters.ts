/** Search filters; all must match. */
export interface Filters {
  /** See {@link parseQuery}. */
  readonly q?: string;
  /** The service of the record, or `import`. */
  readonly service?: string;
  readonly status?: 'done' | 'failed';
  readonly surface?: string;
  /** The most likely defect group. */
  readonly master?: string;
  readonly defect?: string;
  /** 0..1: confidence of `defect`, else of `master`, else of the most confident defect. */
  readonly minConf?: number;
  /** Creation time, inclusive. */
  readonly from?: Date;
  /** Creation time, exclusive. */
  readonly to?: Date;
  /** Whether the record has a report that is open or in review. */
  readonly hasReport?: boolean;
  /** For moderators: hidden records only. */
  readonly hidden?: boolean;
}

/** `relevance` requires `q`: exact matches rank above similar words. */
export type Sort = 'newest' | 'oldest' | 'confidence' | 'relevance';
