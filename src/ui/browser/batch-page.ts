import { createApiClient, type RequestOptions } from './api.ts';
import type { BatchPage } from './batch-texts.ts';
import { createDateFormat } from './date-format.ts';
import { announce, byId, el, fill } from './dom.ts';
import { chosenFiles, entriesOf, filesOf } from './dropped-files.ts';
import { listenForFiles } from './dropzone.ts';
import { readGroupingInputs, requireValidTags } from './grouping.ts';
import { newIdempotencyKey } from './idempotency-key.ts';
import { createNumberFormats } from './number-formats.ts';
import { pageData } from './page-data.ts';
import { type OnRetry, withRetry } from './poll-task.ts';
import { RequestError } from './requests.ts';
import { createTokenStore } from './token.ts';
import { type NamedFile, zipFile } from './zip-file.ts';

const PAGE_SIZE = 100;
const RECENT = 10;
/** Files of other types. */
const MAX_NAMED = 100;
const REFRESH_INTERVAL_MS = 1000;

interface Batch {
  readonly batch_id: string;
  readonly status: 'in_progress' | 'completed';
  readonly total: number;
  readonly name?: string;
  readonly created_at: string;
  readonly project?: string;
  readonly tags?: readonly string[];
  readonly error_codes?: readonly string[];
  readonly counts: Readonly<Record<'queued' | 'processing' | 'done' | 'failed' | 'cancelled', number>>;
  readonly estimated_wait_seconds?: number;
}

/** The first of the files that cannot be processed. */
type InvalidFiles = readonly { readonly name: string; readonly code?: string; readonly message: string }[];

interface Accepted {
  readonly batch_id: string;
  readonly left_out?: { readonly count: number; readonly items: InvalidFiles };
  readonly ignored?: number;
}

interface Item {
  readonly position: number;
  readonly task_id: string;
  readonly name?: string;
  readonly status: 'queued' | 'processing' | 'done' | 'failed' | 'deleted';
  readonly error?: string;
  readonly error_code?: string;
  readonly summary?: string;
}

const { own, ui } = pageData<BatchPage>();
const { texts, needsToken, itemPath, errorTexts, typePrefixes, permanentErrors, maxFiles } = own;
const tokens = needsToken === undefined ? undefined : createTokenStore(ui.token);
const api = createApiClient({
  tokens: tokens && {
    ...tokens,
    prompt(wrong) {
      if (upload) showStatus(texts.progress.token, undefined);
      return tokens.prompt(wrong);
    },
  },
  needsToken: needsToken === true,
  errorTexts,
});

let id = new URLSearchParams(location.search).get('id') ?? undefined;
let batch: Batch | undefined;
let page = firstPage();
let isFiltered = false;
/** The positions after which the pages of the failed items begin, as far as they were read. */
const failedPages = [0];
let isBusy = false;
let refreshing: Promise<void> | undefined;
/** Until the batch is accepted. */
let upload: AbortController | undefined;

/** The address contains the page of the table from 1. */
function firstPage(): number {
  const shown = Number(new URLSearchParams(location.search).get('page'));
  return Number.isInteger(shown) && shown > 1 && shown <= maxFiles ? shown - 1 : 0;
}

function keepAddress(): void {
  history.replaceState(null, '', `${location.pathname}?id=${id}${page === 0 ? '' : `&page=${page + 1}`}`);
}

function showError(error: unknown): void {
  const box = byId('refused');
  box.textContent = messageOf(error);
  box.hidden = false;
  box.scrollIntoView({ block: 'nearest' });
}

function messageOf(error: unknown): string {
  if (!(error instanceof RequestError)) return (error as Error).message;
  if (error.status === 0) return texts.offline;
  const { code = '' } = (error.details ?? {}) as { code?: string };
  return texts.errors[code] ?? error.message;
}

const formats = createNumberFormats(document.documentElement.lang);

/** `secondsLeft`: absent while nothing is processed. */
function showStatus(text: string, share: number | undefined, secondsLeft?: number): void {
  byId('progress').hidden = false;
  byId('status').textContent = text;
  const bar = byId<HTMLProgressElement>('bar');
  if (share === undefined) bar.removeAttribute('value');
  else bar.value = share;
  const remaining = byId('remaining');
  remaining.hidden = secondsLeft === undefined;
  if (secondsLeft === undefined) return;
  remaining.textContent = fill(texts.progress.remaining, { time: formats.duration(1000 * Math.max(1, secondsLeft)) });
}

/** Without a second action at the same time. */
async function act(action: () => Promise<unknown>): Promise<void> {
  if (isBusy) return;
  isBusy = true;
  const inputs = byId<HTMLFieldSetElement>('inputs');
  inputs.disabled = true;
  byId('refused').hidden = true;
  await refreshing;
  await action().catch((error: unknown) => {
    if (!isUnknown(error)) showError(error);
  });
  inputs.disabled = false;
  isBusy = false;
}

/** Whether the batch does not exist or has expired; it is then no longer shown. */
function isUnknown(error: unknown): boolean {
  if (!(error instanceof RequestError && error.code === 'BATCH_NOT_FOUND')) return false;
  [id, batch] = [undefined, undefined];
  for (const hidden of ['progress', 'items']) byId(hidden).hidden = true;
  showError(new Error(texts.unknown));
  return true;
}

const isArchive = ({ name }: NamedFile) => /\.zip$/i.test(name);
/** Some systems do not know the type of a file; the service detects it from the bytes. */
const byPath = new Intl.Collator(document.documentElement.lang, { numeric: true });
const isSupported = ({ name, file }: NamedFile) =>
  !/(?:^|\/)\.|thumbs\.db$|desktop\.ini$/i.test(name) &&
  (file.type === '' || typePrefixes.some((prefix) => file.type.startsWith(prefix)));

/** The key of the last selection whose batch is not known to exist: choosing it again must not create a second batch. */
let unanswered: { readonly selection: string; readonly key: string } | undefined;

function keyFor(chosen: readonly NamedFile[], query: string): string {
  const selection = JSON.stringify([query, ...chosen.map(({ name, file }) => [name, file.size, file.lastModified])]);
  if (unanswered?.selection !== selection) unanswered = { selection, key: newIdempotencyKey() };
  return unanswered.key;
}

/** Shows the upload in place of an earlier batch, and that again if the upload fails. */
async function send(choose: (signal: AbortSignal) => Promise<NamedFile[]>, isSkipping = false): Promise<void> {
  byId('invalid').hidden = true;
  byId('left-out').replaceChildren();
  upload = new AbortController();
  const { signal } = upload;
  let chosen: readonly NamedFile[] = [];
  for (const hidden of ['counts', 'items', 'retry', 'not-retried', 'not-repeated', 'downloads'])
    byId(hidden).hidden = true;
  for (const shown of ['actions', 'cancel']) byId(shown).hidden = false;
  byId('drop').classList.add('slim');
  showHeading({});
  showStatus(texts.progress.starting, undefined);
  byId('progress').scrollIntoView({ block: 'nearest' });
  try {
    requireValidTags();
    chosen = await choose(signal);
    id = await create(chosen, isSkipping, signal);
  } catch (error) {
    byId('progress').hidden = true;
    if (batch) showBatch(batch);
    else byId('drop').classList.remove('slim');
    if (signal.aborted) return showAborted();
    if (!offerToSkip(error, chosen)) throw error;
    return;
  } finally {
    upload = undefined;
  }
  page = 0;
  isFiltered = false;
  keepAddress();
  await Promise.all([refresh(), showRecent()]);
  byId('progress-title').focus();
}

/** Lists the files that cannot be processed, with a button that sends the others; false for another error. */
function offerToSkip(error: unknown, chosen: readonly NamedFile[]): boolean {
  const details = error instanceof RequestError ? error.details : undefined;
  const { invalid, total, items } = (details ?? {}) as { invalid?: number; total?: number; items?: InvalidFiles };
  if (invalid === undefined || total === undefined || items === undefined) return false;
  const counts = { invalid, total };
  byId('invalid-counts').textContent = fill(texts.invalid.counts, counts);
  byId('invalid-files').replaceChildren(...invalidFiles(items, invalid).map((text) => el('li', {}, text)));
  const button = byId<HTMLButtonElement>('continue');
  button.hidden = invalid >= total;
  button.textContent = fill(texts.invalid.continue, counts);
  button.onclick = () => void act(() => send(async () => [...chosen], true));
  byId('invalid').hidden = false;
  byId('invalid-title').focus();
  return true;
}

function invalidFiles(items: InvalidFiles, count: number): string[] {
  const { file, more, reasons } = texts.invalid;
  const lines = items.map(({ name, code = '', message }) => fill(file, { name, reason: reasons[code] ?? message }));
  return count > items.length ? [...lines, fill(more, { count: count - items.length })] : lines;
}

function showAborted(): void {
  byId('left-out').replaceChildren(texts.progress.aborted);
  announce(texts.progress.aborted);
  byId('choice').scrollIntoView({ block: 'nearest' });
}

/** Files that are not part of the batch. */
const note = (text: string) => byId('left-out').append(el('p', {}, text));

/** The names of files of other types. */
function noteOthers(names: readonly string[]): void {
  if (names.length === 0) return;
  const shown = names.slice(0, MAX_NAMED);
  if (names.length > shown.length) shown.push(fill(texts.invalid.more, { count: names.length - shown.length }));
  const list = el('ul', {}, ...shown.map((name) => el('li', {}, name)));
  const count = el('summary', {}, fill(texts.choose.leftOut, { count: names.length }));
  byId('left-out').append(el('details', {}, count, list));
}

function requireFew(count: number): void {
  if (count > maxFiles) throw new Error(fill(texts.choose.tooMany, { limit: formats.count(maxFiles) }));
}

/** The files of dropped folders. */
async function search(entries: ReturnType<typeof entriesOf>, signal: AbortSignal): Promise<NamedFile[]> {
  let [count, supported] = [0, 0];
  return filesOf(entries, (some) => {
    signal.throwIfAborted();
    count += some.length;
    showStatus(fill(texts.progress.searching, { count: formats.count(count) }), undefined);
    supported += some.filter(isSupported).length;
    requireFew(supported);
  });
}

/** Returns the id of the batch. */
async function create(chosen: readonly NamedFile[], isSkipping: boolean, signal: AbortSignal): Promise<string> {
  const percent = (share: number) => ({ percent: String(Math.floor(100 * share)) });
  const [first] = chosen;
  let archive: File | undefined;
  if (chosen.length === 1 && first && isArchive(first)) {
    archive = new File([first.file], first.name, { type: 'application/zip' });
  } else {
    const sorted = chosen.toSorted((a, b) => byPath.compare(a.name, b.name));
    const files = sorted.filter(isSupported);
    noteOthers(sorted.filter((file) => !isSupported(file)).map(({ name }) => name));
    if (files.length === 0) throw new Error(texts.choose.nothing);
    requireFew(files.length);
    archive = await zipFile(files, (share) => {
      signal.throwIfAborted();
      showStatus(fill(texts.progress.preparing, percent(share)), share);
    });
    if (archive === undefined) throw new Error(texts.choose.tooLarge);
  }
  const { project, tags = [] } = readGroupingInputs();
  const query = new URLSearchParams([
    ...(project === undefined ? [] : [['project', project]]),
    ...tags.map((tag) => ['tag', tag]),
    ...(isSkipping ? [['skip_invalid', 'true']] : []),
  ]);
  const request: RequestOptions = {
    method: 'POST',
    headers: { 'idempotency-key': keyFor(chosen, String(query)) },
    file: archive,
    signal,
    onUploadProgress: (share) => {
      // The service may accept the batch although the connection is closed.
      byId('cancel').hidden = share === 1;
      if (share < 1) showStatus(fill(texts.progress.uploading, percent(share)), share);
      else showStatus(texts.progress.checking, undefined);
    },
  };
  const onRetry: OnRetry = (retry) => {
    if (!retry) return;
    byId('cancel').hidden = false;
    showStatus(fill(ui.retry.refused, { sentence: messageOf(retry.refusal), seconds: retry.seconds }), undefined);
  };
  const isRefusedForNow = ({ retryAfterSeconds }: RequestError) => retryAfterSeconds !== undefined;
  const accepted = await withRetry(
    () => api.call<Accepted>(`batches?${query}`, request),
    onRetry,
    signal,
    isRefusedForNow,
  );
  unanswered = undefined;
  const { batch_id: created, left_out: leftOut, ignored } = accepted;
  if (leftOut) {
    note(fill(texts.invalid.leftOut, { count: leftOut.count }));
    for (const text of invalidFiles(leftOut.items, leftOut.count)) note(text);
  }
  if (ignored !== undefined) note(fill(texts.choose.ignored, { count: ignored }));
  return created;
}

async function refresh(): Promise<void> {
  const [read, items] = await Promise.all([api.call<Batch>(`batches/${id}`), readPage()]);
  const total = isFiltered ? read.counts.failed : read.total;
  if (page > 0 && page * PAGE_SIZE >= total) {
    page = 0;
    keepAddress();
    return refresh();
  }
  batch = read;
  showBatch(read);
  if (read.status === 'completed') await showRecent();
  // Without summaries, which the next refresh reads again, the table is still useful.
  await readSummaries(items).catch(() => undefined);
  showItems(items, total);
}

async function readPage(): Promise<readonly Item[]> {
  if (!isFiltered) return readItems(`after=${page * PAGE_SIZE}&limit=${PAGE_SIZE}`);
  const items = await readItems(`status=failed&after=${failedPages[page]}&limit=${PAGE_SIZE}`);
  failedPages[page + 1] = items.at(-1)?.position ?? 0;
  return items;
}

const readItems = async (query: string) =>
  (await api.call<{ items: readonly Item[] }>(`batches/${id}/items?${query}`)).items;

/** Of results, by task id: each is read once, because the service reads the whole result for it. */
const summaries = new Map<string, string>();

async function readSummaries(items: readonly Item[]): Promise<void> {
  const missing = items.filter(({ status, task_id: task }) => status === 'done' && !summaries.has(task));
  const [first, last] = [missing[0]?.position, missing.at(-1)?.position];
  if (first === undefined || last === undefined) return;
  const query = `after=${first - 1}&limit=${last - first + 1}&summary=true`;
  for (const { status, task_id: task, summary = '' } of await readItems(query))
    if (status === 'done') summaries.set(task, summary);
}

function progressOf({ status, total, counts }: Batch) {
  const ended = counts.done + counts.failed + counts.cancelled;
  const template = status === 'completed' ? texts.progress.completed : texts.progress.running;
  return { ended, sentence: fill(template, { ...counts, ended, total }) };
}

const dates = createDateFormat(document.documentElement.lang);

/** Keeps the earlier list after an error: the shown batch does not depend on it. */
async function showRecent(): Promise<void> {
  const list = await api.call<{ batches: readonly Batch[] }>(`batches?limit=${RECENT}`).catch(() => undefined);
  if (list === undefined) return;
  byId('recent').hidden = list.batches.length === 0;
  byId('recent-rows').replaceChildren(...list.batches.map(recentRow));
}

const labelsOf = ({ project, tags = [] }: Pick<Batch, 'project' | 'tags'>) => [
  ...(project === undefined ? [] : [project]),
  ...tags,
];

/** The name of the batch with its project and tags. */
function showHeading(shown: Pick<Batch, 'name' | 'project' | 'tags'>): void {
  const { title } = texts.progress;
  byId('progress-title').textContent = shown.name === undefined ? title : `${title}: ${shown.name}`;
  const labels = labelsOf(shown).map((label) => el('span', { class: 'group', dir: 'auto' }, label));
  byId('groups').hidden = labels.length === 0;
  byId('groups').replaceChildren(...labels);
}

function recentRow(recent: Batch): HTMLElement {
  const { batch_id: batchId, total, created_at: created } = recent;
  const { name = fill(texts.recent.unnamed, { total: formats.count(total) }) } = recent;
  const link = el('a', { href: `?id=${batchId}` }, name);
  return el(
    'tr',
    {},
    el('td', {}, link),
    el('td', {}, dates.format(Number(created) * 1000)),
    el('td', {}, labelsOf(recent).join(', ')),
    el('td', {}, progressOf(recent).sentence),
  );
}

function showBatch(shown: Batch): void {
  const { status, total, counts } = shown;
  const isCompleted = status === 'completed';
  const { ended, sentence } = progressOf(shown);
  // The batch completes up to a second after its last item.
  const isEnded = isCompleted || ended === total;
  showHeading(shown);
  showStatus(sentence, isEnded ? 1 : ended / total, isEnded ? undefined : shown.estimated_wait_seconds);
  if (isCompleted) announce(sentence);
  for (const [state, count] of Object.entries(counts)) byId(`count-${state}`).textContent = String(count);
  for (const part of ['counts', 'actions', 'items']) byId(part).hidden = false;
  byId('cancel').hidden = isEnded;
  const hasFailed = isCompleted && counts.failed > 0;
  const isFinal = shown.error_codes?.every((code) => permanentErrors.includes(code)) ?? false;
  byId('retry').hidden = !hasFailed || isFinal;
  byId('not-retried').hidden = !hasFailed || !isFinal;
  isFiltered &&= hasFailed;
  byId<HTMLInputElement>('only-failed').checked = isFiltered;
  byId('filter').hidden = !hasFailed || counts.failed === total;
  byId('not-repeated').hidden = !isCompleted || counts.cancelled === 0;
  byId('downloads').hidden = !isCompleted;
}

function showItems(items: readonly Item[], total: number): void {
  const rows = byId('rows');
  const state = JSON.stringify([items, items.map((item) => summaries.get(item.task_id))]);
  byId('range').textContent = `${page * PAGE_SIZE + 1}–${page * PAGE_SIZE + items.length} / ${total}`;
  byId<HTMLButtonElement>('previous').disabled = page === 0;
  byId<HTMLButtonElement>('next').disabled = (page + 1) * PAGE_SIZE >= total;
  // Keeps the focus on a link of an unchanged table.
  if (rows.dataset['state'] === state) return;
  rows.dataset['state'] = state;
  rows.replaceChildren(...items.map(rowOf));
}

function rowOf({ position, task_id: task, name, status, error, error_code: code }: Item): HTMLElement {
  const shown = code === 'CANCELLED' ? 'cancelled' : status;
  const label = (name ?? task).split(/(?<=\/)/).flatMap((part) => [part, el('wbr')]);
  return el(
    'tr',
    { 'data-state': shown },
    el('td', {}, String(position)),
    el('td', {}, ...(status === 'deleted' ? label : [el('a', { href: `${itemPath}${task}` }, ...label)])),
    el('td', {}, texts.states[shown]),
    el('td', {}, errorTexts[code ?? ''] ?? error ?? summaries.get(task) ?? ''),
  );
}

async function download(format: string): Promise<void> {
  const url = URL.createObjectURL(await api.file(`batches/${id}/results?format=${format}`));
  const name = (batch?.name ?? id ?? '').replace(/[\\/:*?"<>|]/g, '_');
  el('a', { href: url, download: `${name}.${format}` }).click();
  // The browser may read it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

const change = (action: 'cancel' | 'retry') => async () => {
  await api.call(`batches/${id}/${action}`, { method: 'POST' });
  await refresh();
};

const turn = (pages: number) => async () => {
  page += pages;
  keepAddress();
  await refresh();
  byId('items').scrollIntoView();
};

const onClick = (button: string, action: () => Promise<unknown>) =>
  byId(button).addEventListener('click', () => void act(action));
const cancel = change('cancel');
byId('cancel').addEventListener('click', () => {
  if (upload) upload.abort();
  else if (confirm(texts.progress.cancelSure)) void act(cancel);
});
onClick('retry', change('retry'));
onClick('previous', turn(-1));
onClick('next', turn(1));
byId<HTMLInputElement>('only-failed').addEventListener('change', ({ target }) => {
  void act(async () => {
    isFiltered = (target as HTMLInputElement).checked;
    page = 0;
    keepAddress();
    await refresh();
  });
});
byId('downloads').addEventListener('click', ({ target }) => {
  const format = (target as HTMLElement).dataset['format'];
  if (format !== undefined) void act(() => download(format));
});
listenForFiles({
  inputs: ['file', 'folder'],
  onFiles: (files) => void act(() => send(async () => chosenFiles(files))),
  onDrop(dropped) {
    const entries = entriesOf(dropped);
    void act(() => send((signal) => search(entries, signal)));
  },
});
addEventListener('beforeunload', (event) => {
  if (upload) event.preventDefault();
});

/** The state while the batch is running; an error replaces it until the next attempt. */
async function update(): Promise<void> {
  if (id === undefined || isBusy || refreshing || document.hidden || batch?.status === 'completed') return;
  refreshing = refresh().catch((error: unknown) => {
    if (!isUnknown(error)) showStatus(messageOf(error), undefined);
  });
  await refreshing;
  refreshing = undefined;
}
if (id !== undefined) byId('drop').classList.add('slim');
void showRecent();
void update();
setInterval(() => void update(), REFRESH_INTERVAL_MS);
