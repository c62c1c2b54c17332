import { createApiClient } from './api.ts';
import { data, messageOf, showError, showStatus, texts, ui } from './batch-context.ts';
import { searchFolders } from './batch-files.ts';
import { createBatchItems } from './batch-items.ts';
import { createBatch, offerToSkip } from './batch-upload.ts';
import { type Batch, recentRow, showBatch, showHeading } from './batch-views.ts';
import { announce, byId, el } from './dom.ts';
import { chosenFiles, entriesOf } from './dropped-files.ts';
import { listenForFiles } from './dropzone.ts';
import { requireValidTags } from './grouping.ts';
import { retryDelay } from './poll-task.ts';
import { RequestError } from './requests.ts';
import { createTokenStore } from './token.ts';
import type { NamedFile } from './zip-file.ts';

const RECENT = 10;
const REFRESH_INTERVAL_MS = 1000;

const { needsToken, errorTexts, maxFiles } = data;
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

const items = createBatchItems(api, maxFiles);

let id = new URLSearchParams(location.search).get('id') ?? undefined;
let batch: Batch | undefined;
let isBusy = false;
let refreshing: Promise<void> | undefined;
/** Until the batch is accepted. */
let upload: AbortController | undefined;

/** Without a second action at the same time. */
async function act(action: () => Promise<unknown>): Promise<void> {
  if (isBusy) return;
  isBusy = true;
  const inputs = byId<HTMLFieldSetElement>('inputs');
  inputs.disabled = true;
  byId('error').hidden = true;
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
  showError(error);
  return true;
}

/** Shows the upload in place of an earlier batch, and that again if the upload fails. */
async function send(choose: (signal: AbortSignal) => Promise<NamedFile[]>, isSkipping = false): Promise<void> {
  byId('invalid').hidden = true;
  byId('omitted-files').replaceChildren();
  upload = new AbortController();
  const { signal } = upload;
  let chosen: readonly NamedFile[] = [];
  for (const hidden of ['counts', 'items', 'retry', 'permanent-note', 'cancelled-note', 'downloads'])
    byId(hidden).hidden = true;
  for (const shown of ['actions', 'cancel']) byId(shown).hidden = false;
  byId('drop-zone').classList.add('slim');
  showHeading({});
  showStatus(texts.progress.starting, undefined);
  byId('progress').scrollIntoView({ block: 'nearest' });
  try {
    requireValidTags();
    chosen = await choose(signal);
    id = await createBatch(api, chosen, { isSkipping, signal });
  } catch (error) {
    byId('progress').hidden = true;
    if (batch) show(batch);
    else byId('drop-zone').classList.remove('slim');
    if (signal.aborted) return showAborted();
    const skip = () => void act(() => send(async () => [...chosen], true));
    if (!offerToSkip(error, skip)) throw error;
    return;
  } finally {
    upload = undefined;
  }
  items.restart(false);
  items.keepAddress(id);
  await Promise.all([refresh(), showRecent()]);
  byId('progress-title').focus();
}

function showAborted(): void {
  byId('omitted-files').replaceChildren(texts.progress.aborted);
  announce(texts.progress.aborted);
  byId('file-selection').scrollIntoView({ block: 'nearest' });
}

async function refresh(): Promise<void> {
  const [read, page] = await Promise.all([api.call<Batch>(`batches/${id}`), items.read(id!)]);
  if (items.isBehind(read)) {
    items.restart();
    items.keepAddress(id!);
    return refresh();
  }
  batch = read;
  show(read);
  if (read.status === 'completed') await showRecent();
  await items.show(read, page);
}

function show(shown: Batch): void {
  items.showFilter(showBatch(shown).hasFailed);
}

let retryTimer: ReturnType<typeof setTimeout> | undefined;

/** Keeps the earlier list after an error, because the shown batch does not depend on it. A refusal for a time is repeated. */
async function showRecent(): Promise<void> {
  const list = await api.call<{ batches: readonly Batch[] }>(`batches?limit=${RECENT}`).catch((error: unknown) => {
    if (!(error instanceof RequestError && error.retryAfterSeconds !== undefined)) return;
    clearTimeout(retryTimer);
    retryTimer = setTimeout(() => void showRecent(), 1000 * retryDelay(error, 1));
  });
  if (!list) return;
  byId('recent').hidden = list.batches.length === 0;
  byId('recent-rows').replaceChildren(...list.batches.map(recentRow));
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
  items.turn(pages);
  items.keepAddress(id!);
  await refresh();
  byId('items').scrollIntoView();
};

const onClick = (button: string, action: () => Promise<unknown>) =>
  byId(button).addEventListener('click', () => void act(action));
/** Hides the button, because a second cancellation meanwhile would be ignored. */
const cancel = () => {
  byId('cancel').hidden = true;
  showStatus(texts.progress.cancelling, undefined);
  return change('cancel')();
};
byId('cancel').addEventListener('click', () => {
  if (upload) upload.abort();
  else if (confirm(texts.progress.cancelSure)) void act(cancel);
});
onClick('retry', change('retry'));
onClick('previous', turn(-1));
onClick('next', turn(1));
byId<HTMLInputElement>('only-failed').addEventListener('change', ({ target }) => {
  void act(async () => {
    items.restart((target as HTMLInputElement).checked);
    items.keepAddress(id!);
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
    void act(() => send((signal) => searchFolders(entries, signal)));
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
if (id !== undefined) byId('drop-zone').classList.add('slim');
void showRecent();
void update();
setInterval(() => void update(), REFRESH_INTERVAL_MS);
