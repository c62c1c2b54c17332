export interface Filters {
  /** See {@link parseQuery}. */
  readonly q?: string;
  readonly service?: string;
  readonly status?: 'done' | 'failed';
  readonly surface?: string;
  /** The most likely defect group. */
  readonly master?: string;
  readonly defect?: string;
  /** 0..1, of `defect`, else of `master`, else of the most confident defect. */
  readonly minConf?: number;
  /** Creation time, inclusive. */
  readonly from?: Date;
  /** Creation time, exclusive. */
  readonly to?: Date;
  readonly hasReport?: boolean;
  readonly hidden?: boolean;
}

/** `relevance` requires `q`: exact matches rank above similar words. */
export const SORTS = ['newest', 'oldest', 'confidence', 'relevance'] as const;
export type Sort = (typeof SORTS)[number];
