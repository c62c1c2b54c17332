import { type Bytes, toBlob } from './bytes.ts';
import { type Connection, newIdempotencyKey } from './connection.ts';
import type { GroupingOptions } from './grouping.ts';
import { type PollResult, pollUntilEnded, type WaitOptions } from './poll.ts';
import { BATCH_POLL_SCHEDULES, type Polling } from './poll-schedule.ts';
import type { CallOptions, RequestOptions } from './request.ts';
import type {
  AcceptedBatch,
  Batch,
  BatchItem,
  BatchItemList,
  BatchList,
  CancelledBatch,
  RetriedBatch,
} from './wire/batches.ts';

export interface CreateBatchOptions extends CallOptions, GroupingOptions {
  /** Called once when the last item has ended. */
  readonly webhookUrl?: string | undefined;
  /** Default: the folder of all files, or else the first file. */
  readonly name?: string | undefined;
  /** Deduplicates retries. Default: a random key per call. */
  readonly idempotencyKey?: string | undefined;
  /** Of bytes. Default: `application/x-ndjson`. */
  readonly contentType?: 'application/x-ndjson' | 'text/csv' | 'application/zip' | undefined;
  /** Leaves out invalid items, which the response lists as `left_out`, instead of throwing. */
  readonly skipInvalid?: boolean | undefined;
  /** For a ZIP archive: fields of all items, as text. */
  readonly fields?: Readonly<Record<string, string>> | undefined;
}

export interface ListItemsOptions extends CallOptions {
  /** As in `counts` of the batch, where cancelled items are not `failed`; or `deleted`. */
  readonly status?: keyof Batch['counts'] | 'deleted' | undefined;
  readonly summary?: boolean | undefined;
}

export type BatchFormat = 'jsonl' | 'csv' | 'xlsx' | 'zip';

const JSON_LINES = 'application/x-ndjson';
const PAGE_SIZE = 1000;
const SUMMARY_PAGE_SIZE = 100;
const LIST_PAGE_SIZE = 20;

/** Many tasks that are accepted together. `Item` is the body of a single request. */
export class Batches<Item extends object> {
  readonly #line: Connection;
  readonly #polling: Polling;

  constructor(line: Connection, polling: Polling) {
    this.#line = line;
    this.#polling = polling;
  }

  /**
   * Creates a task for each item, for each line of a file in JSON lines or CSV, or for each file of a ZIP archive: for all
   * of them, or for none.
   */
  create(items: readonly Item[] | Bytes, options: CreateBatchOptions = {}): Promise<AcceptedBatch> {
    const {
      webhookUrl,
      idempotencyKey = newIdempotencyKey(),
      contentType = JSON_LINES,
      fields,
      skipInvalid,
      signal,
    } = options;
    const { project, tags: tag, name } = options;
    const isList = Array.isArray(items);
    return this.#line.data('/batches', {
      method: 'POST',
      body: isList ? new Blob(items.map((item) => `${JSON.stringify(item)}\n`)) : toBlob(items as Bytes),
      headers: { 'content-type': isList ? JSON_LINES : contentType },
      query: { ...fields, webhook_url: webhookUrl, skip_invalid: skipInvalid, project, tag, name },
      idempotencyKey,
      signal,
    });
  }

  read(id: string, { signal }: CallOptions = {}): Promise<Batch> {
    return this.#line.data(pathOf(id), { signal });
  }

  /** The batches that were created with this token, newest first. */
  async *list({
    project,
    tag,
    signal,
  }: CallOptions & { readonly project?: string | undefined; readonly tag?: string | undefined } = {}): AsyncGenerator<
    Batch,
    void,
    undefined
  > {
    for (let before: string | undefined; ; ) {
      const query = { before, limit: LIST_PAGE_SIZE, project, tag };
      const page = await this.#line.data<BatchList>('/batches', { query, signal });
      yield* page.batches;
      before = page.next;
      if (before === undefined) return;
    }
  }

  /** The tasks of a batch in the order of its items, or only those in one state; with `summary`, each result in short. */
  async *items(
    id: string,
    { status, summary, signal }: ListItemsOptions = {},
  ): AsyncGenerator<BatchItem, void, undefined> {
    const limit = summary ? SUMMARY_PAGE_SIZE : PAGE_SIZE;
    for (let after: number | undefined = 0; after !== undefined; ) {
      const query: RequestOptions['query'] = { status, after, limit, summary };
      const page: BatchItemList = await this.#line.data(`${pathOf(id)}/items`, { query, signal });
      yield* page.items;
      after = page.next;
    }
  }

  /** Waits until every item has ended; `onState` gets each state that was read. */
  wait(id: string, options: WaitOptions<Batch> = {}): Promise<Batch> {
    const read = async (_: number, signal: AbortSignal): Promise<PollResult<Batch>> => {
      const state = await this.#line.data<Batch>(pathOf(id), { retries: 0, signal });
      return { state, ended: state.status === 'completed', retryAfterSeconds: undefined };
    };
    const [pace, { clock, onRateLimit, onOutage }] = [BATCH_POLL_SCHEDULES[this.#polling], this.#line];
    return pollUntilEnded({ subject: `Batch ${id}`, read, pace, clock, onRateLimit, onOutage, options });
  }

  /** The results of a completed batch as a file. */
  results(id: string, format: BatchFormat = 'jsonl', { signal }: CallOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    return this.#line.bytes(`${pathOf(id)}/results`, { query: { format }, signal });
  }

  /** Cancels the unfinished items; returns their number. */
  async cancel(id: string, { signal }: CallOptions = {}): Promise<number> {
    const request = { method: 'POST', repeatable: true, signal } as const;
    return (await this.#line.data<CancelledBatch>(`${pathOf(id)}/cancel`, request)).cancelled;
  }

  /** Queues the failed items of a completed batch again; returns their number. */
  async retry(id: string, { signal }: CallOptions = {}): Promise<number> {
    return (await this.#line.data<RetriedBatch>(`${pathOf(id)}/retry`, { method: 'POST', signal })).retried;
  }
}

const pathOf = (id: string) => `/batches/${encodeURIComponent(id)}`;
