// Generated from the schemas of src/services by wire.test.ts; `npx vitest run src/client/wire.test.ts -u` updates it.

export interface SearchQuery {
  /** Words of titles, file names, transcripts, field values and class names: all of them, in any form, misspelt or in part. `"quoted words"` stand side by side, `-word` is excluded. A record id or a task id finds its record. */
  readonly q?: string;
  /** The service that made the record, or `import`. */
  readonly service?: string;
  /** The surface of a photo. */
  readonly surface?: string;
  /** A defect that was found. */
  readonly defect?: string;
  /** The likeliest group. */
  readonly master?: string;
  readonly status?: 'done' | 'failed';
  /** Of the defect asked for; else of the group asked for; else of the surest defect. */
  readonly min_conf?: number;
  /** A day or a moment (ISO 8601, UTC): asked for then or later. */
  readonly from?: string;
  /** A day, which counts as a whole, or a moment: asked for before it. */
  readonly to?: string;
  /** Whether a report on it is open or in review. */
  readonly has_report?: boolean;
  /** For moderators: those that an accepted report has hidden, in place of the others. */
  readonly hidden?: boolean;
  /** Where it is not said: `relevance` for a `q`, else `newest`. */
  readonly sort?: 'newest' | 'oldest' | 'confidence' | 'relevance';
  readonly page: number;
  readonly limit: number;
  /** Whether to count what each filter would leave. */
  readonly facets: boolean;
  /** `upto` of an earlier page: this one continues it, whatever was indexed since. */
  readonly upto?: number;
}

export interface Hit {
  readonly record_id: string;
  /** The service that made it, or `import`. */
  readonly service: string;
  readonly task_id: string | null;
  readonly status: 'done' | 'failed';
  /** When it was asked for. */
  readonly created_at: string;
  readonly title: string;
  /** Plain text: at most 200 characters around the first word looked for. */
  readonly snippet: string;
  readonly surface: string | null;
  readonly master: {
    readonly name: string;
    readonly conf: number;
  } | null;
  /** The surest first. */
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
  /** On all pages, counted exactly. */
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  /** What each choice would find: over all filters but its own. Empty with `facets=false`. */
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
  /** The filters, as they were understood. */
  readonly filters: Readonly<Record<string, unknown>>;
  readonly took_ms: number;
  /** Sent with a request for the next page, it keeps out what was indexed since. */
  readonly upto: number;
}

export interface Row {
  readonly record_id: string;
  /** The service that made it, or `import`. */
  readonly service: string;
  readonly task_id: string | null;
  readonly status: 'done' | 'failed';
  readonly created_at: string;
  readonly title: string;
  readonly snippet: string;
  /** All that is searched besides the title. */
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
  /** By an accepted report; only moderators see such a record. */
  readonly hidden: boolean;
  /** In the words of the service that made it. */
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
  /** Yours; a record of this id is replaced. */
  readonly record_id: string;
  /** Without it, the id is the title. */
  readonly title?: string;
  readonly text?: string;
  /** https address on a public host, or of a file of our own (`url` of `POST /files`); a picture is kept. */
  readonly image_url?: string;
  /** At most 16 KiB; their values are searched too. */
  readonly attributes?: Readonly<Record<string, unknown>>;
  /** 2026-05-31 or 2026-05-31T12:00:00Z (RFC 3339). Without it: now. */
  readonly created_at?: string;
}

export interface IndexResult {
  /** Records that can be found from now on. */
  readonly indexed: number;
  /** Records that were not taken, and why. */
  readonly failed: readonly {
    /** Its place among the records, from 1; a header is not counted. */
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
  /** Records that can be found. */
  readonly documents: number;
  readonly last_indexed_at: string | null;
  /** How long what waits to be indexed has waited. */
  readonly lag_seconds: number;
  readonly rebuilding: boolean;
}

export interface NewReport {
  readonly record_id: string;
  readonly action_type: 'delete' | 'edit' | 'hide' | 'restore' | 'reclassify' | 'other';
  readonly description?: string;
  readonly user_info?: string;
}

/** At least one of the two. */
export interface ReportPatch {
  readonly status?: 'open' | 'in_review' | 'accepted' | 'rejected' | 'duplicate';
  /** Null clears it, and so does a new status without one. Who opens a report again says why here. */
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
  /** Grows with each change; what `If-Match` takes. */
  readonly version: number;
}

export interface ReportList {
  readonly items: readonly Report[];
  /** With the filters applied. */
  readonly total: number;
  readonly page: number;
  readonly limit: number;
}

export interface ReportEvent {
  /** Without gaps, over all reports. */
  readonly serial: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** A token’s short name, or a digest of an address. */
  readonly actor: string;
  readonly action: 'created' | 'changed' | 'refused';
  readonly outcome: 'done' | 'refused';
  readonly from: string | null;
  readonly to: string | null;
  readonly note: string | null;
  /** Of the report’s description, user_info and resolver_note as they stand after it: SHA-256, hex text. */
  readonly content: string;
  readonly request_id: string | null;
  /** The hash of the row before, of whichever report. */
  readonly prev_hash: string;
  /** SHA-256, hex text. */
  readonly hash: string;
}

export interface ReportEvents {
  readonly items: readonly ReportEvent[];
  readonly total: number;
}
