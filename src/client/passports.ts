import { type Bytes, blobOf, nameOf } from './bytes.ts';
import { TaskFailed } from './errors.ts';
import { follow, type Reading, type WaitOptions } from './follow.ts';
import { type Line, newIdempotencyKey } from './line.ts';
import { DOCUMENT_PACES, type Polling } from './pace.ts';
import type { Answer, CallOptions } from './request.ts';
import type { CreateOptions, In, With } from './tasks.ts';
import type {
  CleanedUp,
  DeepHealth,
  DocumentField,
  DocumentItem,
  DocumentList,
  DocumentResult,
  DocumentStatus,
  DocumentsUploaded,
  DocumentUpdated,
  EditHistory,
  FailedStatistics,
  PageImageRotated,
  PageImages,
  PageImagesUploaded,
  PdfCreated,
} from './wire/passports.ts';

/** A file with the name that it is to have; a `File` has one already. */
export type NamedFile = Bytes | { readonly name: string; readonly data: Bytes };

export type WaitingDocument = In<DocumentResult, 'PENDING' | 'PROCESSING'>;
export type ReadDocument = In<
  With<
    DocumentResult,
    'filename' | 'updated_at' | 'version' | 'schema' | 'data' | 'fields' | 'pages' | 'sheets' | 'engine' | 'warnings'
  >,
  'SUCCESS'
>;
export type FailedDocument = In<
  With<DocumentResult, 'filename' | 'updated_at' | 'error_type' | 'error'>,
  'FAILED' | 'ERROR' | 'PERMANENT_ERROR'
>;
/** A document: `status` tells which of the three it is. */
export type Document = WaitingDocument | ReadDocument | FailedDocument;

/** A document to wait for: what an upload, a list or `createPdf` answers, or its id. */
export type DocumentHandle = string | Pick<DocumentItem, 'id'> | Pick<PdfCreated, 'task_id'>;

/** Technical passports in, fields out, for a person to check and correct. */
export class Passports {
  readonly #line: Line;
  readonly #polling: Polling;

  constructor(line: Line, polling: Polling) {
    this.#line = line;
    this.#polling = polling;
  }

  /** Each PDF becomes a document; what is none stands in `rejected`. Throws where all are refused. */
  async upload(
    files: NamedFile | readonly NamedFile[],
    { name, idempotencyKey = newIdempotencyKey(), signal }: CreateOptions & { readonly name?: string } = {},
  ): Promise<DocumentsUploaded> {
    const body = formOf(files, 'document.pdf');
    if (name !== undefined) body.append('name', name);
    return (await this.#line.ask('/upload', { method: 'POST', body, idempotencyKey, signal })).json();
  }

  /** Images that will be pages. A lost connection is thrown: sent again, they would be there twice. */
  async uploadImages(
    files: NamedFile | readonly NamedFile[],
    { signal }: CallOptions = {},
  ): Promise<PageImagesUploaded> {
    const body = formOf(files, 'image');
    return (await this.#line.ask('/api/v1/upload-images', { method: 'POST', body, signal })).json();
  }

  /** Images that wait to become pages. */
  async images({ signal }: CallOptions = {}): Promise<PageImages> {
    return (await this.#line.ask('/api/v1/images', { signal })).json();
  }

  /** Turns an image by a quarter. */
  async rotateImage(
    imageId: string,
    { direction, signal }: CallOptions & { readonly direction?: 'cw' | 'ccw' } = {},
  ): Promise<PageImageRotated> {
    const path = `/api/v1/rotate-image/${encodeURIComponent(imageId)}`;
    return (await this.#line.ask(path, { method: 'POST', query: { direction }, signal })).json();
  }

  async removeImage(imageId: string, { signal }: CallOptions = {}): Promise<void> {
    await this.#line.ask(`/api/v1/image/${encodeURIComponent(imageId)}`, { method: 'DELETE', signal });
  }

  /** Makes one document of these images, in this order. */
  async createPdf(
    imageIds: readonly string[],
    { idempotencyKey = newIdempotencyKey(), signal }: CreateOptions = {},
  ): Promise<PdfCreated> {
    const json = { image_ids: imageIds };
    return (await this.#line.ask('/api/v1/create-pdf', { method: 'POST', json, idempotencyKey, signal })).json();
  }

  /** The documents of this key, the newest first. */
  async list({
    signal,
    ...query
  }: CallOptions & {
    readonly page?: number;
    readonly limit?: number;
    readonly status?: DocumentItem['status'];
  } = {}): Promise<DocumentList> {
    return (await this.#line.ask('/api/tasks', { query, signal })).json();
  }

  async status(id: string, { signal }: CallOptions = {}): Promise<DocumentStatus> {
    return (await this.#line.ask(`${taskPath(id)}/status`, { signal })).json();
  }

  /** The document as it is now; `language` is that of the labels. */
  async result(
    id: string,
    { language, signal }: CallOptions & { readonly language?: 'en' | 'ru' | undefined } = {},
  ): Promise<Document> {
    return (
      await this.#line.ask(`${taskPath(id)}/result`, { headers: { 'accept-language': language }, signal })
    ).json();
  }

  /** Waits until the document is read. Throws `TaskFailed` where it cannot be. */
  async wait(document: DocumentHandle, options: WaitOptions<DocumentStatus> = {}): Promise<ReadDocument> {
    const id = idOf(document);
    const { signal } = options;
    const read = async (): Promise<Reading<DocumentStatus>> => {
      const state = (await this.#line.ask(`${taskPath(id)}/status`, { retries: 0, signal })).json<DocumentStatus>();
      const ended = state.status !== 'PENDING' && state.status !== 'PROCESSING';
      return { state, ended, retryAfterSeconds: undefined };
    };
    const [pace, { clock }] = [DOCUMENT_PACES[this.#polling], this.#line];
    await follow({ taskId: id, read, pace, clock, acceptedAtMs: undefined, estimateSeconds: undefined, options });
    const ended = await this.result(id, { signal });
    if (ended.status === 'SUCCESS') return ended;
    if (ended.status === 'PENDING' || ended.status === 'PROCESSING') return this.wait(id, options);
    throw new TaskFailed({ code: ended.error_type, message: ended.error, taskId: id, state: ended });
  }

  /**
   * Corrects fields, by their keys in `fields`; null empties one. With `ifVersion` only where nobody else has corrected
   * any since that version was read, else `Conflict`.
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
    const headers = { 'if-match': ifVersion === undefined ? undefined : `"${ifVersion}"` };
    const body = new URLSearchParams(form);
    return (
      await this.#line.ask(`/task/${encodeURIComponent(id)}/update`, { method: 'POST', body, headers, signal })
    ).json();
  }

  /** The service answers this with a redirect alone. */
  async rename(id: string, name: string, { signal }: CallOptions = {}): Promise<void> {
    const body = new URLSearchParams({ name });
    await this.#line.ask(`/task/${encodeURIComponent(id)}/rename`, { method: 'POST', body, redirects: true, signal });
  }

  /** Removes the document and its file. */
  async remove(id: string, { signal }: CallOptions = {}): Promise<void> {
    await this.#line.ask(`/task/${encodeURIComponent(id)}`, { method: 'DELETE', signal });
  }

  /** Queues a document in FAILED or ERROR again; `Conflict` for any other. */
  async retry(id: string, { signal }: CallOptions = {}): Promise<DocumentStatus> {
    return (await this.#line.ask(`${taskPath(id)}/retry`, { method: 'POST', signal })).json();
  }

  /** What was corrected, the oldest first. */
  async history(id: string, { signal }: CallOptions = {}): Promise<EditHistory> {
    return (await this.#line.ask(`${taskPath(id)}/history`, { signal })).json();
  }

  /** The fields as a workbook (XLSX). */
  async exportExcel(
    id: string,
    { layout, language, signal }: ExportOptions & { readonly layout?: 'plain' | 'wide' } = {},
  ): Promise<Uint8Array<ArrayBuffer>> {
    return bytesOf(
      await this.#line.ask(`/export/${encodeURIComponent(id)}/excel`, exported({ layout }, { language, signal })),
    );
  }

  /** The fields as a printable report (PDF), each beside the place where it was read. */
  async exportPdf(id: string, options: ExportOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    return bytesOf(await this.#line.ask(`/export/${encodeURIComponent(id)}/pdf`, exported({}, options)));
  }

  /** Every document that was read, a row for each (XLSX); for administrators. */
  async exportAll({
    from,
    to,
    ...options
  }: ExportOptions & { readonly from?: string; readonly to?: string } = {}): Promise<Uint8Array<ArrayBuffer>> {
    return bytesOf(await this.#line.ask('/export/all/excel', exported({ from, to }, options)));
  }

  /** The same for the documents of this key. */
  async exportSession(options: ExportOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    return bytesOf(await this.#line.ask('/export/session/excel', exported({}, options)));
  }

  /** Deletes documents that are older than so many days (30); for administrators. */
  async cleanup({
    days,
    dryRun,
    signal,
  }: CallOptions & { readonly days?: number; readonly dryRun?: boolean } = {}): Promise<CleanedUp> {
    const query = { days, dry_run: dryRun };
    return (await this.#line.ask('/admin/cleanup', { method: 'POST', query, signal })).json();
  }

  /** How the service and what it needs are. Throws `Unavailable` where the database or the language model is away. */
  async deepHealth({ signal }: CallOptions = {}): Promise<DeepHealth> {
    return (await this.#line.ask('/health/deep', { retries: 0, signal })).json();
  }

  /** Documents that have failed in the last so many seconds (3600). */
  async failedStatistics({
    windowSeconds,
    signal,
  }: CallOptions & { readonly windowSeconds?: number } = {}): Promise<FailedStatistics> {
    return (await this.#line.ask('/api/stats/failed', { query: { window: windowSeconds }, signal })).json();
  }
}

export interface ExportOptions extends CallOptions {
  /** Of the labels. */
  readonly language?: 'en' | 'ru' | undefined;
}

const taskPath = (id: string) => `/api/task/${encodeURIComponent(id)}`;
const bytesOf = ({ bytes }: Answer) => bytes;

const exported = (query: Readonly<Record<string, string | undefined>>, { language, signal }: ExportOptions) => ({
  query,
  headers: { accept: '*/*', 'accept-language': language },
  signal,
});

function idOf(document: DocumentHandle): string {
  if (typeof document === 'string') return document;
  return 'id' in document ? document.id : document.task_id;
}

function formOf(files: NamedFile | readonly NamedFile[], fallbackName: string): FormData {
  const form = new FormData();
  for (const file of Array.isArray(files) ? (files as readonly NamedFile[]) : [files as NamedFile]) {
    const named = 'data' in file ? file : { name: nameOf(file) ?? fallbackName, data: file };
    form.append('files', blobOf(named.data), named.name);
  }
  return form;
}
