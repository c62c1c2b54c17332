import { Batches } from './batches.ts';
import { type Connection, newIdempotencyKey } from './connection.ts';
import { AssayError, TaskFailed } from './errors.ts';
import { type EventOptions, type EventsPage, followEvents } from './events.ts';
import { type GroupingOptions, groupingFields } from './grouping.ts';
import { type PollResult, pollUntilEnded, type WaitOptions } from './poll.ts';
import { DOCUMENT_POLL_SCHEDULES, type Polling } from './poll-schedule.ts';
import type { CallOptions } from './request.ts';
import type { CreateOptions, WithRequired, WithStatus } from './tasks.ts';
import { formOf, type NamedFile, namedFiles, splitImages } from './upload-forms.ts';
import type {
  CleanupResult,
  DeepHealth,
  DocumentConfirmed,
  DocumentEvent,
  DocumentField,
  DocumentItem,
  DocumentList,
  DocumentResult,
  DocumentStatus,
  DocumentsUploaded,
  DocumentTimeline,
  DocumentUpdated,
  EditHistory,
  FailedStatistics,
  PageImageRotated,
  PageImages,
  PageImagesUploaded,
  PdfCreated,
  QualityStatistics,
} from './wire/passports.ts';

export type WaitingDocument = WithStatus<DocumentResult, 'PENDING' | 'PROCESSING'>;
export type ReadDocument = WithStatus<
  WithRequired<
    DocumentResult,
    | 'filename'
    | 'updated_at'
    | 'version'
    | 'schema'
    | 'data'
    | 'fields'
    | 'pages'
    | 'sheets'
    | 'engine'
    | 'review'
    | 'warnings'
  >,
  'SUCCESS'
>;
export type FailedDocument = WithStatus<
  WithRequired<DocumentResult, 'filename' | 'updated_at' | 'error_type' | 'error'>,
  'FAILED' | 'ERROR' | 'PERMANENT_ERROR'
>;
export type Document = WaitingDocument | ReadDocument | FailedDocument;

/** A document id, or the response of an upload, a list or `createPdf`. */
export type DocumentHandle = string | Pick<DocumentItem, 'id'> | Pick<PdfCreated, 'task_id'>;

export class Passports {
  /** Of ZIP archives: a document per PDF. */
  readonly batches: Batches<never>;
  readonly #line: Connection;
  readonly #polling: Polling;

  constructor(line: Connection, polling: Polling) {
    this.batches = new Batches(line, polling);
    this.#line = line;
    this.#polling = polling;
  }

  /** The events of the key's documents: stored ones, then new ones as they happen. */
  events(options: EventOptions = {}): AsyncGenerator<DocumentEvent, void, undefined> {
    return followEvents(this.#line, (answer) => answer.json<EventsPage<DocumentEvent>>(), options);
  }

  /** Creates a document per PDF; other files are listed in `rejected`. Throws if all files are rejected. */
  async upload(
    files: NamedFile | readonly NamedFile[],
    options: CreateOptions & GroupingOptions & { readonly name?: string } = {},
  ): Promise<DocumentsUploaded> {
    const { name, idempotencyKey = newIdempotencyKey(), project, tags = [], signal } = options;
    const body = formOf(namedFiles(files, 'document.pdf'));
    if (project !== undefined) body.append('project', project);
    for (const tag of tags) body.append('tag', tag);
    if (name !== undefined) body.append('name', name);
    return this.#line.json('/upload', { method: 'POST', body, idempotencyKey, signal });
  }

  /**
   * Uploads page images in order, in several requests if they are many; throws if all are rejected. Not retried after a
   * connection error: they would be stored twice.
   */
  async uploadImages(
    files: NamedFile | readonly NamedFile[],
    { signal }: CallOptions = {},
  ): Promise<PageImagesUploaded> {
    const answers: PageImagesUploaded[] = [];
    const imageIds = () => answers.flatMap(({ image_ids }) => image_ids);
    let firstError: AssayError | undefined;
    for (const part of splitImages(namedFiles(files, 'image'))) {
      const body = formOf(part);
      try {
        answers.push(await this.#line.json('/api/v1/upload-images', { method: 'POST', body, signal }));
      } catch (error) {
        if (!(error instanceof AssayError) || ![400, 413, 415].includes(error.status)) {
          await Promise.allSettled(imageIds().map((id) => this.removeImage(id)));
          throw error;
        }
        // All files of this request are rejected.
        const { code, message } = error;
        const rejected = part.map(({ name }) => ({ filename: name, error: { code, message } }));
        answers.push({ images: [], image_ids: [], rejected });
        firstError ??= error;
      }
    }
    if (firstError && imageIds().length === 0) throw firstError;
    return {
      images: answers.flatMap(({ images }) => images),
      image_ids: imageIds(),
      rejected: answers.flatMap(({ rejected }) => rejected),
    };
  }

  async images({ signal }: CallOptions = {}): Promise<PageImages> {
    return this.#line.json('/api/v1/images', { signal });
  }

  async rotateImage(
    imageId: string,
    { direction, signal }: CallOptions & { readonly direction?: 'cw' | 'ccw' } = {},
  ): Promise<PageImageRotated> {
    const path = `/api/v1/rotate-image/${encodeURIComponent(imageId)}`;
    return this.#line.json(path, { method: 'POST', query: { direction }, signal });
  }

  async removeImage(imageId: string, { signal }: CallOptions = {}): Promise<void> {
    await this.#line.request(`/api/v1/image/${encodeURIComponent(imageId)}`, { method: 'DELETE', signal });
  }

  async createPdf(
    imageIds: readonly string[],
    { idempotencyKey = newIdempotencyKey(), signal, ...grouping }: CreateOptions & GroupingOptions = {},
  ): Promise<PdfCreated> {
    const json = { image_ids: imageIds, ...groupingFields(grouping) };
    return this.#line.json('/api/v1/create-pdf', { method: 'POST', json, idempotencyKey, signal });
  }

  /** Lists the documents of this key, newest first. */
  async list({
    signal,
    ...query
  }: CallOptions & {
    readonly page?: number;
    readonly limit?: number;
    readonly status?: DocumentItem['status'];
    readonly project?: string;
    readonly tag?: string;
  } = {}): Promise<DocumentList> {
    return this.#line.json('/api/tasks', { query, signal });
  }

  async status(id: string, { signal }: CallOptions = {}): Promise<DocumentStatus> {
    return this.#line.json(`${taskPath(id)}/status`, { signal });
  }

  async result(
    id: string,
    { language, signal }: CallOptions & { readonly language?: 'en' | 'ru' | undefined } = {},
  ): Promise<Document> {
    return this.#line.json(`${taskPath(id)}/result`, { headers: { 'accept-language': language }, signal });
  }

  /** Waits until the document is processed. Throws `TaskFailed` if processing fails. */
  async wait(document: DocumentHandle, options: WaitOptions<DocumentStatus> = {}): Promise<ReadDocument> {
    const id = idOf(document);
    let result: Document | undefined;
    // The result is read by the same loop, so that the time limit also ends its repetitions.
    const read = async (_: number, signal: AbortSignal): Promise<PollResult<DocumentStatus>> => {
      const request = { retries: 0, signal };
      const state = await this.#line.json<DocumentStatus>(`${taskPath(id)}/status`, request);
      if (!isUnfinished(state)) result = await this.#line.json<Document>(`${taskPath(id)}/result`, request);
      return { state, ended: result !== undefined && !isUnfinished(result), retryAfterSeconds: undefined };
    };
    const [pace, { clock, onRateLimit, onOutage }] = [DOCUMENT_POLL_SCHEDULES[this.#polling], this.#line];
    await pollUntilEnded({ subject: `Task ${id}`, read, pace, clock, onRateLimit, onOutage, options });
    const ended = result as Extract<Document, { status: 'SUCCESS' | 'FAILED' | 'ERROR' }>;
    if (ended.status === 'SUCCESS') return ended;
    throw new TaskFailed({ code: ended.error_type, message: ended.error, taskId: id, state: ended });
  }

  /**
   * Sets fields by their keys in `fields`; null clears one. With `ifVersion`, throws `Conflict` if the document has
   * changed since that version.
   */
  async update(
    id: string,
    fields: Readonly<Record<string, DocumentField['value']>>,
    { ifVersion, signal }: CallOptions & { readonly ifVersion?: number } = {},
  ): Promise<DocumentUpdated> {
    const form = Object.entries(fields).map(([key, value]): [string, string] => [
      key,
      value === null ? '' : String(value),
    ]);
    const body = new URLSearchParams(form);
    return this.#line.json(`${documentPath(id)}/update`, { method: 'POST', body, ifVersion, signal });
  }

  /**
   * Records that a person checked all values. With `ifVersion`, throws `Conflict` if the document has changed since that
   * version.
   */
  async confirm(
    id: string,
    { ifVersion, signal }: CallOptions & { readonly ifVersion?: number } = {},
  ): Promise<DocumentConfirmed> {
    return this.#line.json(`${taskPath(id)}/confirm`, { method: 'POST', ifVersion, signal });
  }

  /** The service responds with a redirect only. */
  async rename(id: string, name: string, { signal }: CallOptions = {}): Promise<void> {
    const body = new URLSearchParams({ name });
    await this.#line.request(`${documentPath(id)}/rename`, { method: 'POST', body, redirects: true, signal });
  }

  async remove(id: string, { signal }: CallOptions = {}): Promise<void> {
    await this.#line.request(documentPath(id), { method: 'DELETE', signal });
  }

  /** Queues a document in FAILED or ERROR again; `Conflict` in other states. */
  async retry(id: string, { signal }: CallOptions = {}): Promise<DocumentStatus> {
    return this.#line.json(`${taskPath(id)}/retry`, { method: 'POST', signal });
  }

  /** What happened to the document so far: its attempts with their steps. */
  async timeline(id: string, { signal }: CallOptions = {}): Promise<DocumentTimeline> {
    return this.#line.json(`${taskPath(id)}/timeline`, { signal });
  }

  async history(id: string, { signal }: CallOptions = {}): Promise<EditHistory> {
    return this.#line.json(`${taskPath(id)}/history`, { signal });
  }

  async exportExcel(
    id: string,
    { layout, language, signal }: ExportOptions & { readonly layout?: 'plain' | 'wide' } = {},
  ): Promise<Uint8Array<ArrayBuffer>> {
    return this.#line.bytes(`/export/${encodeURIComponent(id)}/excel`, exportRequest({ layout }, { language, signal }));
  }

  /** Exports a printable PDF with the source image of each field. */
  async exportPdf(id: string, options: ExportOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    return this.#line.bytes(`/export/${encodeURIComponent(id)}/pdf`, exportRequest({}, options));
  }

  /** Exports all processed documents as XLSX, one row each. Administrators only. */
  async exportAll({
    from,
    to,
    ...options
  }: ExportOptions & { readonly from?: string; readonly to?: string } = {}): Promise<Uint8Array<ArrayBuffer>> {
    return this.#line.bytes('/export/all/excel', exportRequest({ from, to }, options));
  }

  async exportSession(options: ExportOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    return this.#line.bytes('/export/session/excel', exportRequest({}, options));
  }

  /** Deletes documents older than `days` (default 30). Administrators only. */
  async cleanup({
    days,
    dryRun,
    signal,
  }: CallOptions & { readonly days?: number; readonly dryRun?: boolean } = {}): Promise<CleanupResult> {
    const query = { days, dry_run: dryRun };
    return this.#line.json('/admin/cleanup', { method: 'POST', query, signal });
  }

  /**
   * Status of the service and its dependencies. Throws `Unavailable` if the database or the language model is
   * unavailable.
   */
  async deepHealth({ signal }: CallOptions = {}): Promise<DeepHealth> {
    return this.#line.json('/health/deep', { retries: 0, signal });
  }

  /** Failed documents of the last `windowSeconds` (default 3600). */
  async failedStatistics({
    windowSeconds,
    signal,
  }: CallOptions & { readonly windowSeconds?: number } = {}): Promise<FailedStatistics> {
    return this.#line.json('/api/stats/failed', { query: { window: windowSeconds }, signal });
  }

  /** Precision of extracted values by field and confidence, and the share that reaches `precision` (default 0.99). */
  async qualityStatistics({
    precision,
    language,
    signal,
  }: CallOptions & {
    readonly precision?: number;
    readonly language?: 'en' | 'ru' | undefined;
  } = {}): Promise<QualityStatistics> {
    return this.#line.json('/api/stats/quality', {
      query: { precision },
      headers: { 'accept-language': language },
      signal,
    });
  }
}

export interface ExportOptions extends CallOptions {
  readonly language?: 'en' | 'ru' | undefined;
}

const isUnfinished = ({ status }: Pick<DocumentStatus, 'status'>) => status === 'PENDING' || status === 'PROCESSING';

const documentPath = (id: string) => `/task/${encodeURIComponent(id)}`;
const taskPath = (id: string) => `/api/task/${encodeURIComponent(id)}`;

const exportRequest = (query: Readonly<Record<string, string | undefined>>, { language, signal }: ExportOptions) => ({
  query,
  headers: { 'accept-language': language },
  signal,
});

function idOf(document: DocumentHandle): string {
  if (typeof document === 'string') return document;
  return 'id' in document ? document.id : document.task_id;
}
