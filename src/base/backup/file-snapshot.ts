import { constants, createReadStream } from 'node:fs';
import { copyFile, link, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { deleteStale, ifMissing, ignoreErrors, succeeds } from '../file-system.ts';
import { isFileKey, isKeyFolder, keyToPath } from '../files/file-key.ts';
import { newId } from '../ids.ts';

/** Files that stay readable until `release`, even if the store deletes them. */
export interface FileSnapshot {
  /** Set if the backup does not contain the files. */
  readonly bucket?: string;
  /** Adds all current files. */
  capture(): Promise<void>;
  has(key: string): Promise<boolean>;
  /** Sorted names `XX/KEY`. */
  names(): AsyncIterable<string>;
  open(name: string): Promise<{ size: number; bytes: AsyncIterable<Buffer> }>;
  release(): Promise<void>;
}

/** Snapshot of the store in `dir` by hard links, which works because files never change; copies if links are unsupported. */
export async function createFileSnapshot(dir: string): Promise<FileSnapshot> {
  // Of killed backups. One that still runs would end with an error.
  await deleteStale(dir, BACKUP_TIMEOUT_MS + DAY_MS, PREFIX);
  const place = join(dir, `${PREFIX}${newId()}`);
  const folders = new Set<string>();
  return {
    async capture() {
      for (const folder of await listSorted(dir, isKeyFolder)) {
        await mkdir(join(place, folder), { recursive: true, mode: 0o700 });
        folders.add(folder);
        const keys = await listSorted(join(dir, folder), isFileKey);
        await Promise.all(keys.map((key) => linkOrCopy(join(dir, folder, key), join(place, folder, key))));
      }
    },
    has: (key) => succeeds(stat(join(place, keyToPath(key)))),
    async *names() {
      for (const folder of [...folders].sort()) {
        // A missing folder is an error: the backup would lack its files.
        for (const key of (await readdir(join(place, folder))).filter(isFileKey).sort()) yield `${folder}/${key}`;
      }
    },
    async open(name) {
      const path = join(place, name);
      return { size: (await stat(path)).size, bytes: createReadStream(path, { highWaterMark: PIECE_BYTES }) };
    },
    release: () => rm(place, { recursive: true, force: true }),
  };
}

/** Time limit of each statement of a backup. */
export const BACKUP_TIMEOUT_MS = 7 * 86_400_000;
const PREFIX = 'backup-';
const PIECE_BYTES = 1024 * 1024;
const DAY_MS = 86_400_000;

const listSorted = async (dir: string, isValid: (name: string) => boolean) =>
  ((await readdir(dir).catch(ifMissing)) ?? []).filter(isValid).sort();

/** Ignores a file that was just deleted or is already in the snapshot. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  const ignored = ignoreErrors('ENOENT', 'EEXIST');
  await link(from, to)
    .catch(ignored)
    .catch(() => copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE))
    .catch(ignored);
}

/**
 * For files that stay in a bucket: the backup only checks that all files that rows refer to exist. Keeps the keys in
 * memory, some hundred bytes each.
 */
export async function listBucketFiles(place: string, keys: () => AsyncIterable<string>): Promise<FileSnapshot> {
  const known = new Set<string>();
  return {
    bucket: place,
    async capture() {
      for await (const key of keys()) known.add(key);
    },
    has: async (key) => known.has(key),
    async *names() {},
    open: (name) => Promise.reject(new Error(`${name} is in the bucket.`)),
    release: async () => {},
  };
}
