import { byId, fill } from '../../../ui/browser/dom.ts';
import { listenForFiles } from '../../../ui/browser/dropzone.ts';
import { pageData } from '../../../ui/browser/page-data.ts';
import { errorMessage } from '../../../ui/browser/requests.ts';
import { createDocumentList } from './document-list.ts';
import type { ListPage } from './list-texts.ts';
import { createPageOrder } from './page-order.ts';
import { selectNameOnOpen } from './rename-form.ts';
import { rejections, sendFiles } from './uploads.ts';

const { data } = pageData<ListPage>();
const { texts } = data;
const KEPT_KEY = 'passports-kept';
/** The ids of the inputs of the project and the tags. */
const GROUPING = ['project', 'tags'];

function attempt(act: () => Promise<unknown>): void {
  byId('error').hidden = true;
  act().catch((error: unknown) => showError(errorMessage(error, texts)));
}

function showError(...messages: string[]): void {
  const errorBox = byId('error');
  errorBox.textContent = messages.join(' ');
  errorBox.hidden = false;
}

interface Kept {
  readonly error?: string;
  readonly grouping?: readonly string[];
}

/** Without a session there is no list; the first upload creates one. The reloaded page shows the error and the inputs of this one. */
async function reloadWithSession(): Promise<void> {
  addEventListener('pagehide', () => {
    const { hidden, textContent } = byId('error');
    const grouping = GROUPING.map((id) => byId<HTMLInputElement>(id).value);
    const kept: Kept = { grouping, ...(!hidden && { error: textContent }) };
    sessionStorage.setItem(KEPT_KEY, JSON.stringify(kept));
  });
  location.reload();
}

function restoreKept(): void {
  const { error, grouping = [] } = JSON.parse(sessionStorage.getItem(KEPT_KEY) ?? '{}') as Kept;
  sessionStorage.removeItem(KEPT_KEY);
  if (error !== undefined) showError(error);
  for (const [i, text] of grouping.entries()) byId<HTMLInputElement>(GROUPING[i]!).value = text;
  if (grouping.some((text) => text !== '')) byId('project').closest('details')!.open = true;
}

const refresh = data.hasSession ? createDocumentList(data, attempt) : reloadWithSession;
const pageOrder = createPageOrder(data, attempt, refresh);

function handleFiles(files: readonly File[]): void {
  const isPhoto = ({ type, name }: File) => type.startsWith('image/') || /\.(heic|heif|tiff?)$/i.test(name);
  const photos = files.filter(isPhoto);
  const others = files.filter((file) => !isPhoto(file));
  if (others.length > 0) attempt(() => sendPdfs(others));
  if (photos.length > 0) attempt(() => pageOrder.add(photos));
}

async function sendPdfs(files: readonly File[]): Promise<void> {
  const itemsOf = ({ items }: { items: unknown[] }) => items;
  const { accepted, rejected } = await sendFiles('upload', files, { itemsOf, texts });
  byId('upload-status').textContent = accepted.length > 0 ? fill(texts.uploaded, { count: accepted.length }) : '';
  if (rejected.length > 0) showError(...rejections(rejected, texts));
  await refresh();
}

// The submit button is only for browsers without a script.
listenForFiles({ inputs: ['pdfs', 'photos', 'camera'], onFiles: handleFiles });
byId('upload').querySelector<HTMLElement>('button[type=submit]')!.hidden = true;
byId('pdfs').classList.add('visually-hidden');
selectNameOnOpen();
restoreKept();
