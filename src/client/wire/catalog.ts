// Generated from the schemas of src/services by wire.test.ts; `npx vitest run src/client/wire.test.ts -u` updates it.

export interface SearchQuery {
  /** Words in titles, file names, transcripts, field values and class names; all must match, in any form, with typos or in part. `"quoted words"` must be adjacent, `-word` is excluded. A record id or task id finds its record. */
  readonly q?: string;
  /** The service of the record, or `import`. */
  readonly service?: string;
  /** The surface of a photo. */
  readonly surface?: string;
  /** A detected defect. */
  readonly defect?: string;
  /** The most likely defect group. */
  readonly master?: string;
  readonly status?: 'done' | 'failed';
  /** Minimum confidence of the `defect`, else of the `master`, else of the most confident defect. */
  readonly min_conf?: number;
  /** ISO 8601 date or time (UTC): created then or later. */
  readonly from?: string;
  /** ISO 8601 date (inclusive) or time (exclusive): created before it. */
  readonly to?: string;
  /** Whether the record has a report that is open or in review. */
  readonly has_report?: boolean;
  /** For moderators: lists hidden records only. */
  readonly hidden?: boolean;
  /** Default: `relevance` with `q`, else `newest`. */
  readonly sort?: 'newest' | 'oldest' | 'confidence' | 'relevance';
  readonly page: number;
  readonly limit: number;
  /** Whether to return facet counts. */
  readonly facets: boolean;
  /** `upto` of an earlier page, to exclude records indexed since. */
  readonly upto?: number;
}

export interface Hit {
  readonly record_id: string;
  /** The service of the task, or `import`. */
  readonly service: string;
  readonly task_id: string | null;
  readonly status: 'done' | 'failed';
  /** When the task was created, or the date of an imported record. */
  readonly created_at: string;
  readonly title: string;
  /** Plain text of at most 200 characters around the first match. */
  readonly snippet: string;
  readonly surface: string | null;
  readonly master: {
    readonly name: string;
    readonly conf: number;
  } | null;
  /** By descending confidence. */
  readonly defects: readonly {
    readonly name: string;
    readonly conf: number;
  }[];
  readonly image: {
    readonly url: string;
    readonly width: number;
    readonly height: number;
  } | null;
  /** Reports that are open or in review. */
  readonly open_reports: number;
  readonly hidden: boolean;
}

export interface SearchResults {
  readonly items: readonly Hit[];
  /** Exact number of results on all pages. */
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  /** Counts per value, over all filters except the facet’s own. Empty with `facets=false`. */
  readonly facets: {
    readonly service?: readonly {
      readonly value: string;
      readonly count: number;
      /** Whether there are more than 1000. */
      readonly more: boolean;
    }[];
    readonly status?: readonly {
      readonly value: string;
      readonly count: number;
      /** Whether there are more than 1000. */
      readonly more: boolean;
    }[];
    readonly surface?: readonly {
      readonly value: string;
      readonly count: number;
      /** Whether there are more than 1000. */
      readonly more: boolean;
    }[];
    readonly master?: readonly {
      readonly value: string;
      readonly count: number;
      /** Whether there are more than 1000. */
      readonly more: boolean;
    }[];
    readonly defect?: readonly {
      readonly value: string;
      readonly count: number;
      /** Whether there are more than 1000. */
      readonly more: boolean;
    }[];
  };
  /** The applied filters. */
  readonly filters: Readonly<Record<string, unknown>>;
  readonly took_ms: number;
  /** Send it with the next page to exclude records indexed since. */
  readonly upto: number;
}

export interface Row {
  readonly record_id: string;
  /** The service of the task, or `import`. */
  readonly service: string;
  readonly task_id: string | null;
  readonly status: 'done' | 'failed';
  readonly created_at: string;
  readonly title: string;
  readonly snippet: string;
  /** The searchable text besides the title. */
  readonly text: string;
  readonly surface: string | null;
  readonly master: {
    readonly name: string;
    readonly conf: number;
  } | null;
  readonly defects: readonly {
    readonly name: string;
    readonly conf: number;
  }[];
  readonly image: {
    readonly url: string;
    readonly width: number;
    readonly height: number;
  } | null;
  /** Reports that are open or in review. */
  readonly open_reports: number;
  /** Hidden by an accepted report and visible to moderators only. */
  readonly hidden: boolean;
  /** The result in the format of its service. */
  readonly result: Readonly<Record<string, unknown>>;
  readonly reports: readonly {
    readonly id: string;
    readonly action_type: 'delete' | 'edit' | 'hide' | 'restore' | 'reclassify' | 'other';
    readonly status: 'open' | 'in_review' | 'accepted' | 'rejected' | 'duplicate';
    readonly created_at: string;
  }[];
  readonly neighbours: {
    readonly prev: string | null;
    readonly next: string | null;
  };
}

export interface NewRecord {
  /** A record with this id is replaced. */
  readonly record_id: string;
  /** Default: the id. */
  readonly title?: string;
  readonly text?: string;
  /** https URL on a public host, or the `url` of an uploaded file (`POST /files`); a copy is stored. */
  readonly image_url?: string;
  /** At most 16 KiB; the values are searchable. */
  readonly attributes?: Readonly<Record<string, unknown>>;
  /** 2026-05-31 or 2026-05-31T12:00:00Z (RFC 3339). Default: now. */
  readonly created_at?: string;
}

export interface IndexResult {
  /** Number of imported records. */
  readonly indexed: number;
  /** Records that were not imported, with the reasons. */
  readonly failed: readonly {
    /** Position in the request from 1, without a table header. */
    readonly row: number;
    readonly record_id?: string;
    readonly detail: readonly {
      readonly loc: readonly (string | number)[];
      readonly msg: string;
      readonly type: string;
      readonly input?: unknown;
      readonly ctx?: Readonly<Record<string, unknown>>;
    }[];
  }[];
}

export interface IndexState {
  /** Number of searchable records. */
  readonly documents: number;
  readonly last_indexed_at: string | null;
  /** Waiting time of the oldest task to be indexed. */
  readonly lag_seconds: number;
  readonly rebuilding: boolean;
}

export interface NewReport {
  readonly record_id: string;
  readonly action_type: 'delete' | 'edit' | 'hide' | 'restore' | 'reclassify' | 'other';
  readonly description?: string;
  readonly user_info?: string;
}

/** At least one of the fields. */
export interface ReportPatch {
  readonly status?: 'open' | 'in_review' | 'accepted' | 'rejected' | 'duplicate';
  /** Null clears the note, as does a new status without a note. Required to reopen a report. */
  readonly resolver_note?: string | null;
}

export interface Report {
  readonly id: string;
  readonly record_id: string;
  readonly action_type: 'delete' | 'edit' | 'hide' | 'restore' | 'reclassify' | 'other';
  readonly description: string | null;
  readonly user_info: string | null;
  readonly status: 'open' | 'in_review' | 'accepted' | 'rejected' | 'duplicate';
  readonly resolver_note: string | null;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  /** ISO 8601, UTC. */
  readonly updated_at: string;
  readonly resolved_at: string | null;
  /** Increments with each change; for `If-Match`. */
  readonly version: number;
}

export interface ReportList {
  readonly items: readonly Report[];
  /** Number of matching reports. */
  readonly total: number;
  readonly page: number;
  readonly limit: number;
}

export interface ReportEvent {
  /** Consecutive over all reports. */
  readonly serial: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** The principal of a token, or a digest of an address. */
  readonly actor: string;
  readonly action: 'created' | 'changed' | 'refused';
  readonly outcome: 'done' | 'refused';
  readonly from: string | null;
  readonly to: string | null;
  readonly note: string | null;
  /** SHA-256 of the report’s description, user_info and resolver_note after the event, as hex text. */
  readonly content: string;
  readonly request_id: string | null;
  /** The hash of the previous event of all reports. */
  readonly prev_hash: string;
  /** SHA-256 as hex text. */
  readonly hash: string;
}

export interface ReportEvents {
  readonly items: readonly ReportEvent[];
  readonly total: number;
}
