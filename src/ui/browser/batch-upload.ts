import type { ApiClient, RequestOptions } from './api.ts';
import { formats, messageOf, showStatus, texts, ui } from './batch-context.ts';
import { archiveOf, percentOf } from './batch-files.ts';
import { byId, el, fill } from './dom.ts';
import { readGroupingInputs } from './grouping.ts';
import { newIdempotencyKey } from './idempotency-key.ts';
import { type OnRetry, retryText, withRetry } from './poll-task.ts';
import { RequestError } from './requests.ts';
import type { NamedFile } from './zip-file.ts';

/** The first of the files that cannot be processed. */
type InvalidFiles = readonly { readonly name: string; readonly code?: string; readonly message: string }[];

interface Accepted {
  readonly batch_id: string;
  readonly left_out?: { readonly count: number; readonly items: InvalidFiles };
  readonly ignored?: number;
}

/** Fields of all items by name. */
type CommonFields = Readonly<Record<string, string>>;
let readFields: () => CommonFields = () => ({});

/** Sends the fields of further inputs on the page. */
export function setCommonFields(read: () => CommonFields): void {
  readFields = read;
}

/** The key of the last selection whose batch is not known to exist: choosing it again must not create a second batch. */
let unanswered: { readonly selection: string; readonly key: string } | undefined;

function keyFor(chosen: readonly NamedFile[], query: string): string {
  const selection = JSON.stringify([query, ...chosen.map(({ name, file }) => [name, file.size, file.lastModified])]);
  if (unanswered?.selection !== selection) unanswered = { selection, key: newIdempotencyKey() };
  return unanswered.key;
}

/** Creates a batch of the chosen files and returns its id. `isSkipping`: without those that cannot be processed. */
export async function createBatch(
  api: ApiClient,
  chosen: readonly NamedFile[],
  { isSkipping, signal }: { readonly isSkipping: boolean; readonly signal: AbortSignal },
): Promise<string> {
  const archive = await archiveOf(chosen, signal);
  const { project, tags = [] } = readGroupingInputs();
  const query = new URLSearchParams([
    ...(project === undefined ? [] : [['project', project]]),
    ...tags.map((tag) => ['tag', tag]),
    // Of a chosen archive, not of one that this page made.
    ...(archive.name === chosen[0]?.name ? [['name', archive.name.split('/').at(-1)!]] : []),
    ...(isSkipping ? [['skip_invalid', 'true']] : []),
  ]);
  const fields = readFields();
  const request: RequestOptions = {
    method: 'POST',
    headers: { 'idempotency-key': keyFor(chosen, JSON.stringify([String(query), fields])) },
    ...(Object.keys(fields).length > 0 ? { form: formOf(fields, archive) } : { file: archive }),
    signal,
    onUploadProgress: (share) => {
      // The service may accept the batch although the connection is closed.
      byId('cancel').hidden = share === 1;
      if (share < 1) showStatus(fill(texts.progress.uploading, percentOf(share)), share);
      else showStatus(texts.progress.checking, undefined);
    },
  };
  const onRetry: OnRetry = (retry) => {
    if (!retry) return;
    byId('cancel').hidden = false;
    showStatus(retryText(retry, ui.retry, messageOf(retry.refusal)), undefined);
  };
  const isRefusedForNow = ({ status, retryAfterSeconds }: RequestError) =>
    status === 0 || retryAfterSeconds !== undefined;
  const upload = () =>
    api.call<Accepted>(`batches?${query}`, request).catch(async (error: unknown) => {
      if (error instanceof RequestError && error.status === 0) await requireReadable(chosen);
      throw error;
    });
  const accepted = await withRetry(upload, onRetry, signal, isRefusedForNow);
  unanswered = undefined;
  showOmitted(accepted);
  return accepted.batch_id;
}

/** The browser reports a file that was changed or removed like a lost connection, but a retry cannot succeed. */
async function requireReadable(chosen: readonly NamedFile[]): Promise<void> {
  for (const { file } of chosen) {
    await file
      .slice(0, 1)
      .arrayBuffer()
      .catch(() => {
        throw new Error(fill(texts.choose.unreadable, { name: file.name }));
      });
  }
}

function formOf(fields: CommonFields, archive: File): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  // The service reads fields before the file.
  form.set('file', archive);
  return form;
}

/** Files that are not part of the batch. */
function showOmitted({ left_out: leftOut, ignored }: Accepted): void {
  const note = (text: string) => byId('omitted-files').append(el('p', {}, text));
  if (leftOut) {
    note(fill(texts.invalid.leftOut, { count: formats.count(leftOut.count) }));
    for (const text of invalidFiles(leftOut.items, leftOut.count)) note(text);
  }
  if (ignored !== undefined) note(fill(texts.choose.ignored, { count: formats.count(ignored) }));
}

/** Lists the files that cannot be processed, with a button that sends the others; false for another error. */
export function offerToSkip(error: unknown, onContinue: () => void): boolean {
  const details = error instanceof RequestError ? error.details : undefined;
  const { invalid, total, items } = (details ?? {}) as { invalid?: number; total?: number; items?: InvalidFiles };
  if (invalid === undefined || total === undefined || items === undefined) return false;
  const counts = { invalid: formats.count(invalid), total: formats.count(total) };
  byId('invalid-counts').textContent = fill(texts.invalid.counts, counts);
  byId('invalid-files').replaceChildren(...invalidFiles(items, invalid).map((text) => el('li', {}, text)));
  const button = byId<HTMLButtonElement>('continue');
  button.hidden = invalid >= total;
  button.textContent = fill(texts.invalid.continue, counts);
  button.onclick = onContinue;
  byId('invalid').hidden = false;
  byId('invalid-title').focus();
  return true;
}

function invalidFiles(items: InvalidFiles, count: number): string[] {
  const { file, more, reasons } = texts.invalid;
  const lines = items.map(({ name, code = '', message }) => fill(file, { name, reason: reasons[code] ?? message }));
  return count > items.length ? [...lines, fill(more, { count: formats.count(count - items.length) })] : lines;
}
