/** What people look for. Every part narrows; what is absent does not. All of it lives in the address. */
export interface Filters {
  /** Words of titles, texts, class names and values: all of them, misspelt or in part. Quotes hold words together, a minus excludes. */
  readonly q?: string;
  /** The service that made the record, or `import`. */
  readonly service?: string;
  readonly status?: 'done' | 'failed';
  readonly surface?: string;
  /** The likeliest group. */
  readonly master?: string;
  /** A defect that was found, whatever its confidence, or with at least `minConf`. */
  readonly defect?: string;
  /** 0..1: of the defect asked for; else of the group asked for; else of the surest defect. */
  readonly minConf?: number;
  /** By when it was asked for: from this instant on, and before that one. */
  readonly from?: Date;
  readonly to?: Date;
  /** Whether a report on it is open or in review. */
  readonly hasReport?: boolean;
  /** Moderators alone: those that an accepted report has hidden, in place of the others. */
  readonly hidden?: boolean;
}

/** `relevance` is only for a `q`: what has the words as they were written comes before what is only like them. */
export type Sort = 'newest' | 'oldest' | 'confidence' | 'relevance';
