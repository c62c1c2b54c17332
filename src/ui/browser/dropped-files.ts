import type { NamedFile } from './zip-file.ts';

/** Files that are opened at once: each takes a millisecond, most of it waiting. */
const CONCURRENCY = 100;

/** The chosen files, with their paths in the chosen folder. */
export const chosenFiles = (files: readonly File[]): NamedFile[] =>
  files.map((file) => ({ name: file.webkitRelativePath || file.name, file }));

/** What was dropped or pasted. Call while the event is dispatched: afterwards the items are gone. */
export const entriesOf = ({ items }: DataTransfer): (FileSystemEntry | File)[] =>
  [...items].flatMap((item) => item.webkitGetAsEntry() ?? item.getAsFile() ?? []);

/**
 * The files of `entries` and of their folders. `onFound` is called with each group that was read (at most `CONCURRENCY` files, perhaps
 * none); an error that it throws ends the search.
 */
export async function filesOf(
  entries: readonly (FileSystemEntry | File)[],
  onFound: (some: readonly NamedFile[]) => void,
): Promise<NamedFile[]> {
  const found: NamedFile[] = [];
  const folders: FileSystemDirectoryEntry[] = [];
  // The browser chooses how many entries a reader returns at once: 100 in Chromium.
  const add = async (read: typeof entries) => {
    for (let i = 0; i === 0 || i < read.length; i += CONCURRENCY) {
      const some = read.slice(i, i + CONCURRENCY);
      folders.push(...some.filter(isFolder));
      const files = await Promise.all(some.filter((entry) => !isFolder(entry)).map(fileOf));
      found.push(...files);
      onFound(files);
    }
  };
  await add(entries);
  // Includes folders that are found meanwhile.
  for (const folder of folders) {
    const reader = folder.createReader();
    let some: FileSystemEntry[];
    do {
      some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
      await add(some);
    } while (some.length > 0);
  }
  return found;
}

const isFolder = (entry: FileSystemEntry | File): entry is FileSystemDirectoryEntry =>
  'isDirectory' in entry && entry.isDirectory;

async function fileOf(entry: FileSystemEntry | File): Promise<NamedFile> {
  if (entry instanceof File) return { name: entry.name, file: entry };
  const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
  return { name: entry.fullPath.replace(/^\//, ''), file };
}
