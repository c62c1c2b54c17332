import type { NamedFile } from './zip-file.ts';

/** The chosen files, with their paths in the chosen folder. */
export const chosenFiles = (files: readonly File[]): NamedFile[] =>
  files.map((file) => ({ name: file.webkitRelativePath || file.name, file }));

/** The dropped files, with those in dropped folders. Call while the event is dispatched. */
export async function droppedFiles({ items }: DataTransfer): Promise<NamedFile[]> {
  // The entries are gone when the handler returns.
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const found: NamedFile[] = [];
  for (let entry = entries.shift(); entry !== undefined; entry = entries.shift()) {
    if (entry.isDirectory) entries.push(...(await entriesIn(entry as FileSystemDirectoryEntry)));
    else {
      const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
      found.push({ name: entry.fullPath.replace(/^\//, ''), file });
    }
  }
  return found;
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
