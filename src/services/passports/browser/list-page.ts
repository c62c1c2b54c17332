import { byId, fill } from '../../../ui/browser/dom.ts';
import { openDrop } from '../../../ui/browser/drop.ts';
import { pageData } from '../../../ui/browser/page-data.ts';
import { sentenceOf } from '../../../ui/browser/requests.ts';
import { openAssembly } from './assembly.ts';
import { openList } from './documents.ts';
import type { ListPage } from './list-texts.ts';
import { focusRenames } from './rename.ts';
import { rejections, sendFiles } from './uploads.ts';

const { own } = pageData<ListPage>();
const { texts } = own;

/** Does it, and tells the person when it was refused. */
function attempt(act: () => Promise<unknown>): void {
  byId('refused').hidden = true;
  act().catch((error: unknown) => tell(sentenceOf(error, texts)));
}

function tell(...sentences: string[]): void {
  const refused = byId('refused');
  refused.textContent = sentences.join(' ');
  refused.hidden = false;
}

// Nobody's page has nothing to follow; the first upload makes it somebody's.
const refresh = own.session ? openList(own, attempt) : async () => location.reload();
const assembly = openAssembly(own, attempt, refresh);

/** PDFs become documents at once; photos become pages, which want an order first. */
function take(files: readonly File[]): void {
  const isPhoto = ({ type, name }: File) => type.startsWith('image/') || /\.(heic|heif|tiff?)$/i.test(name);
  const photos = files.filter(isPhoto);
  const others = files.filter((file) => !isPhoto(file));
  if (others.length > 0) attempt(() => sendPdfs(others));
  if (photos.length > 0) attempt(() => assembly.add(photos));
}

async function sendPdfs(files: readonly File[]): Promise<void> {
  const kept = ({ items }: { items: unknown[] }) => items;
  const { taken, rejected } = await sendFiles('upload', files, { kept, texts });
  byId('sent').textContent = taken.length > 0 ? fill(texts.uploaded, { count: taken.length }) : '';
  if (rejected.length > 0) tell(...rejections(rejected, texts));
  await refresh();
}

// Dropped, pasted, chosen or taken with the camera. The button of the form is for those who have no script.
openDrop({ inputs: ['pdfs', 'photos', 'camera'], onFiles: take });
byId('upload').querySelector<HTMLElement>('button[type=submit]')!.hidden = true;
byId('pdfs').classList.add('visually-hidden');
focusRenames();
