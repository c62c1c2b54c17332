import { type Line, newIdempotencyKey } from './line.ts';
import type { Answer, CallOptions } from './request.ts';
import type { CreateOptions } from './tasks.ts';
import type {
  Found,
  Hit,
  Indexed,
  IndexState,
  NewRecord,
  NewReport,
  Report,
  ReportEvents,
  ReportList,
  ReportPatch,
  Row,
  SearchQuery,
} from './wire/catalog.ts';

/** What is looked for, and which part of it; every filter narrows. */
export type SearchOptions = CallOptions & Partial<SearchQuery>;
/** The filters and the order alone. */
export type RecordFilters = Omit<Partial<SearchQuery>, 'page' | 'limit' | 'facets' | 'upto'>;

/** A report as its reporter gets it: whole, with a receipt that is returned only once; a repetition has an id and a status. */
export type NewlyReported = Pick<Report, 'id' | 'status'> & Partial<Report> & { readonly receipt?: string };

export type ReportFilters = Partial<Pick<Report, 'status' | 'action_type' | 'record_id'>> & {
  readonly q?: string;
  readonly from?: string;
  readonly to?: string;
  readonly page?: number;
  readonly limit?: number;
  readonly sort?: 'newest' | 'oldest';
};

/** Everything that came out, to be found again, and reports of what is wrong with it. */
export class Catalog {
  readonly #line: Line;

  constructor(line: Line) {
    this.#line = line;
  }

  async search({ signal, ...query }: SearchOptions = {}): Promise<Found> {
    return (await this.#line.ask('/search', { query, signal })).json();
  }

  /** All that is found, page by page, without what is indexed meanwhile. */
  async *each({ signal, ...filters }: CallOptions & RecordFilters = {}): AsyncGenerator<Hit, void, undefined> {
    let upto: number | undefined;
    for (let page = 1; ; page++) {
      const continued = upto === undefined ? {} : { upto };
      const found = await this.search({ ...filters, ...continued, page, limit: 200, facets: false, signal });
      yield* found.items;
      upto = found.upto;
      if (page * 200 >= found.total) return;
    }
  }

  /** One record with all that is known of it. */
  async row(recordId: string, { signal }: CallOptions = {}): Promise<Row> {
    return (await this.#line.ask(`/row/${encodeURIComponent(recordId)}`, { signal })).json();
  }

  /** The picture of a record; `width`: so many pixels a side are enough. */
  async image(
    recordId: string,
    {
      width,
      format,
      signal,
    }: CallOptions & { readonly width?: number; readonly format?: 'webp' | 'jpeg' | 'png' } = {},
  ): Promise<Uint8Array<ArrayBuffer>> {
    const query = { w: width, format };
    return bytesOf(
      await this.#line.ask(`/image/${encodeURIComponent(recordId)}`, { query, headers: { accept: '*/*' }, signal }),
    );
  }

  /** All that `search` finds with these filters, as a file. */
  async export(
    format: 'xlsx' | 'csv' | 'jsonl',
    { signal, ...filters }: CallOptions & RecordFilters = {},
  ): Promise<Uint8Array<ArrayBuffer>> {
    const query = { format, ...filters };
    return bytesOf(await this.#line.ask('/export', { query, headers: { accept: '*/*' }, signal }));
  }

  /** Makes records of your own findable, 1000 at a time; for moderators. One of the same id is replaced. */
  async index(records: readonly NewRecord[], { signal }: CallOptions = {}): Promise<Indexed> {
    return (await this.#line.ask('/index', { method: 'POST', json: { records }, repeatable: true, signal })).json();
  }

  /** Has everything indexed anew; for moderators. */
  async rebuild({ signal }: CallOptions = {}): Promise<void> {
    await this.#line.ask('/index/rebuild', { method: 'POST', repeatable: true, signal });
  }

  async indexState({ signal }: CallOptions = {}): Promise<IndexState> {
    return (await this.#line.ask('/index/status', { signal })).json();
  }

  /**
   * Reports a record. The same report within 24 hours is answered with the id and the status of the open one, or with all
   * of it by its `receipt`.
   */
  async report(
    report: NewReport,
    { idempotencyKey = newIdempotencyKey(), receipt, signal }: CreateOptions & { readonly receipt?: string } = {},
  ): Promise<NewlyReported> {
    const asked = { method: 'POST', json: report, query: { receipt }, idempotencyKey, signal } as const;
    return (await this.#line.ask('/reports', asked)).json();
  }

  /** What became of a report; without a `receipt` for moderators alone. */
  async readReport(id: string, { receipt, signal }: CallOptions & { readonly receipt?: string } = {}): Promise<Report> {
    return (await this.#line.ask(reportPath(id), { query: { receipt }, signal })).json();
  }

  /** Reports, the newest first; for moderators. */
  async reports({ signal, ...query }: CallOptions & ReportFilters = {}): Promise<ReportList> {
    return (await this.#line.ask('/reports', { query, signal })).json();
  }

  /**
   * Decides a report, or opens it again; for moderators. `Conflict` where that is no move from its status, or where it is
   * not `ifVersion` any more. The same decision by the same moderator is no second one, so that it is tried again safely.
   */
  async decide(
    id: string,
    patch: ReportPatch,
    { ifVersion, signal }: CallOptions & { readonly ifVersion?: number } = {},
  ): Promise<Report> {
    const headers = { 'if-match': ifVersion === undefined ? undefined : `"${ifVersion}"` };
    const repeatable = ifVersion === undefined;
    return (await this.#line.ask(reportPath(id), { method: 'PATCH', json: patch, headers, repeatable, signal })).json();
  }

  /** What was done and refused with a report, the oldest first; for moderators. */
  async reportEvents(id: string, { signal }: CallOptions = {}): Promise<ReportEvents> {
    return (await this.#line.ask(`${reportPath(id)}/events`, { signal })).json();
  }
}

const reportPath = (id: string) => `/reports/${encodeURIComponent(id)}`;
const bytesOf = ({ bytes }: Answer) => bytes;
