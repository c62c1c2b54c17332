import { type Bytes, toBlob } from './bytes.ts';
import { type Connection, newIdempotencyKey } from './connection.ts';
import type { CallOptions } from './request.ts';
import type { CreateOptions } from './tasks.ts';
import type {
  Hit,
  IndexResult,
  IndexState,
  NewRecord,
  NewReport,
  Report,
  ReportEvents,
  ReportList,
  ReportPatch,
  Row,
  SearchQuery,
  SearchResults,
  SimilarRecords,
} from './wire/catalog.ts';

export type SearchOptions = CallOptions & Partial<SearchQuery>;
export type RecordFilters = Omit<Partial<SearchQuery>, 'page' | 'limit' | 'facets' | 'upto' | 'after'>;

/** A created report with its receipt, which is returned only once. A repeated report has only an id and a status. */
export type CreatedReport = Pick<Report, 'id' | 'status'> & Partial<Report> & { readonly receipt?: string };

export type ReportFilters = Partial<Pick<Report, 'status' | 'action_type' | 'record_id'>> & {
  readonly q?: string;
  readonly from?: string;
  readonly to?: string;
  readonly page?: number;
  readonly limit?: number;
  readonly sort?: 'newest' | 'oldest';
};

export class Catalog {
  readonly #line: Connection;

  constructor(line: Connection) {
    this.#line = line;
  }

  async search({ signal, ...query }: SearchOptions = {}): Promise<SearchResults> {
    return this.#line.json('/search', { query, signal });
  }

  /** Iterates over all matches, excluding records indexed after the first page. */
  async *each({ signal, ...filters }: CallOptions & RecordFilters = {}): AsyncGenerator<Hit, void, undefined> {
    let continued: Partial<SearchQuery> = {};
    for (;;) {
      const { items, next, upto } = await this.search({ ...filters, ...continued, limit: 200, facets: false, signal });
      yield* items;
      if (next === undefined) return;
      continued = { after: next, upto };
    }
  }

  async row(recordId: string, { signal }: CallOptions = {}): Promise<Row> {
    return this.#line.json(`/row/${encodeURIComponent(recordId)}`, { signal });
  }

  /** Records with the same photo first, then those with the most similar photos. `group`: one record of each photo. */
  async similar(
    recordId: string,
    { limit, group, signal }: CallOptions & { readonly limit?: number; readonly group?: boolean } = {},
  ): Promise<SimilarRecords['items']> {
    const path = `/row/${encodeURIComponent(recordId)}/similar`;
    return (await this.#line.json<SimilarRecords>(path, { query: { limit, group }, signal })).items;
  }

  /** Like `similar`, for a photo that has no record. */
  async similarTo(
    photo: Bytes,
    { limit, group, signal }: CallOptions & { readonly limit?: number; readonly group?: boolean } = {},
  ): Promise<SimilarRecords['items']> {
    const body = toBlob(photo);
    const headers = { 'content-type': body.type || 'application/octet-stream' };
    const request = { method: 'POST', query: { limit, group }, body, headers, repeatable: true, signal } as const;
    return (await this.#line.json<SimilarRecords>('/search/similar', request)).items;
  }

  async image(
    recordId: string,
    {
      width,
      format,
      signal,
    }: CallOptions & { readonly width?: number; readonly format?: 'webp' | 'jpeg' | 'png' } = {},
  ): Promise<Uint8Array<ArrayBuffer>> {
    const query = { w: width, format };
    return this.#line.bytes(`/image/${encodeURIComponent(recordId)}`, { query, signal });
  }

  async export(
    format: 'xlsx' | 'csv' | 'jsonl',
    { signal, ...filters }: CallOptions & RecordFilters = {},
  ): Promise<Uint8Array<ArrayBuffer>> {
    const query = { format, ...filters };
    return this.#line.bytes('/export', { query, signal });
  }

  /** Indexes up to 1000 records, replacing those with the same id. Moderators only. */
  async index(records: readonly NewRecord[], { signal }: CallOptions = {}): Promise<IndexResult> {
    return this.#line.json('/index', { method: 'POST', json: { records }, repeatable: true, signal });
  }

  /** Rebuilds the index. Moderators only. */
  async rebuild({ signal }: CallOptions = {}): Promise<void> {
    await this.#line.request('/index/rebuild', { method: 'POST', repeatable: true, signal });
  }

  async indexState({ signal }: CallOptions = {}): Promise<IndexState> {
    return this.#line.json('/index/status', { signal });
  }

  /**
   * Reports a record. Repeating a report within 24 hours returns the id and status of the open one, or all of it with
   * its `receipt`.
   */
  async report(
    report: NewReport,
    { idempotencyKey = newIdempotencyKey(), receipt, signal }: CreateOptions & { readonly receipt?: string } = {},
  ): Promise<CreatedReport> {
    const request = { method: 'POST', json: report, query: { receipt }, idempotencyKey, signal } as const;
    return this.#line.json('/reports', request);
  }

  /** Reads a report with its `receipt`; without one, moderators only. */
  async readReport(id: string, { receipt, signal }: CallOptions & { readonly receipt?: string } = {}): Promise<Report> {
    return this.#line.json(reportPath(id), { query: { receipt }, signal });
  }

  /** Lists reports, newest first. Moderators only. */
  async reports({ signal, ...query }: CallOptions & ReportFilters = {}): Promise<ReportList> {
    return this.#line.json('/reports', { query, signal });
  }

  /**
   * Changes a report's status or note. Moderators only. Throws `Conflict` for an invalid transition or a version other
   * than `ifVersion`. Without `ifVersion` a repeated decision has no effect and is retried.
   */
  async decide(
    id: string,
    patch: ReportPatch,
    { ifVersion, signal }: CallOptions & { readonly ifVersion?: number } = {},
  ): Promise<Report> {
    const repeatable = ifVersion === undefined;
    return this.#line.json(reportPath(id), { method: 'PATCH', json: patch, ifVersion, repeatable, signal });
  }

  async reportEvents(id: string, { signal }: CallOptions = {}): Promise<ReportEvents> {
    return this.#line.json(`${reportPath(id)}/events`, { signal });
  }
}

const reportPath = (id: string) => `/reports/${encodeURIComponent(id)}`;
