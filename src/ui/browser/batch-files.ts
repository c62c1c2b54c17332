import { data, formats, showStatus, texts } from './batch-context.ts';
import { byId, el, fill } from './dom.ts';
import { type entriesOf, filesOf } from './dropped-files.ts';
import { type NamedFile, zipFile } from './zip-file.ts';

/** Files of other types. */
const MAX_NAMED = 100;

const isArchive = ({ name }: NamedFile) => /\.zip$/i.test(name);
/** Some systems do not know the type of a file; the service detects it from the bytes. */
const byPath = new Intl.Collator(document.documentElement.lang, { numeric: true });
const isSupported = ({ name, file }: NamedFile) =>
  !/(?:^|\/)\.|thumbs\.db$|desktop\.ini$/i.test(name) &&
  (file.type === '' || data.typePrefixes.some((prefix) => file.type.startsWith(prefix)));

/** The names of files of other types. */
function noteOthers(names: readonly string[]): void {
  if (names.length === 0) return;
  const shown = names.slice(0, MAX_NAMED);
  if (names.length > shown.length)
    shown.push(fill(texts.invalid.more, { count: formats.count(names.length - shown.length) }));
  const list = el('ul', {}, ...shown.map((name) => el('li', {}, name)));
  const count = el('summary', {}, fill(texts.choose.leftOut, { count: formats.count(names.length) }));
  byId('omitted-files').append(el('details', {}, count, list));
}

function requireFew(count: number): void {
  if (count > data.maxFiles) throw new Error(fill(texts.choose.tooMany, { limit: formats.count(data.maxFiles) }));
}

/** The files of dropped folders. */
export async function searchFolders(entries: ReturnType<typeof entriesOf>, signal: AbortSignal): Promise<NamedFile[]> {
  let [count, supported] = [0, 0];
  return filesOf(entries, (some) => {
    signal.throwIfAborted();
    count += some.length;
    showStatus(fill(texts.progress.searching, { count: formats.count(count) }), undefined);
    supported += some.filter(isSupported).length;
    requireFew(supported);
  });
}

/** The archive to send: the only chosen file, or one of the supported files. Lists the others on the page. */
export async function archiveOf(chosen: readonly NamedFile[], signal: AbortSignal): Promise<File> {
  const [first] = chosen;
  if (chosen.length === 1 && first && isArchive(first))
    return new File([first.file], first.name, { type: 'application/zip' });
  const sorted = chosen.toSorted((a, b) => byPath.compare(a.name, b.name));
  const files = sorted.filter(isSupported);
  noteOthers(sorted.filter((file) => !isSupported(file)).map(({ name }) => name));
  if (files.length === 0) throw new Error(texts.choose.nothing);
  requireFew(files.length);
  const archive = await zipFile(files, (share) => {
    signal.throwIfAborted();
    showStatus(fill(texts.progress.preparing, percentOf(share)), share);
  });
  if (archive === undefined) throw new Error(texts.choose.tooLarge);
  return archive;
}

/** For a text with `{percent}`. */
export const percentOf = (share: number) => ({ percent: String(Math.floor(100 * share)) });
