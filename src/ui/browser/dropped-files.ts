import type { NamedFile } from './zip-file.ts';

/** Files that are opened at once: each takes a millisecond, most of it waiting. */
const CONCURRENCY = 100;

/** The chosen files, with their paths in the chosen folder. */
export const chosenFiles = (files: readonly File[]): NamedFile[] =>
  files.map((file) => ({ name: file.webkitRelativePath || file.name, file }));

/** What was dropped or pasted. Call while the event is dispatched: afterwards the items are gone. */
export const entriesOf = ({ items }: DataTransfer): (FileSystemEntry | File)[] =>
  [...items].flatMap((item) => item.webkitGetAsEntry() ?? item.getAsFile() ?? []);

/** The files of `entries` and of their folders. `onFound` is called with some of them at a time; an error that it throws ends the search. */
export async function filesOf(
  entries: readonly (FileSystemEntry | File)[],
  onFound: (some: readonly NamedFile[]) => void,
): Promise<NamedFile[]> {
  const found: NamedFile[] = [];
  const waiting = [...entries];
  while (waiting.length > 0) {
    const some = waiting.splice(0, CONCURRENCY);
    const folders = some.filter((entry) => 'isDirectory' in entry && entry.isDirectory);
    const files = await Promise.all(some.filter((entry) => !folders.includes(entry)).map(fileOf));
    found.push(...files);
    onFound(files);
    for (const folder of folders) waiting.push(...(await entriesIn(folder as FileSystemDirectoryEntry)));
  }
  return found;
}

async function fileOf(entry: FileSystemEntry | File): Promise<NamedFile> {
  if (entry instanceof File) return { name: entry.name, file: entry };
  const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
  return { name: entry.fullPath.replace(/^\//, ''), file };
}

/** A reader returns at most 100 entries at once. */
async function entriesIn(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const found: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return found;
    found.push(...some);
  }
}
