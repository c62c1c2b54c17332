import { constants, createReadStream } from 'node:fs';
import { copyFile, link, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
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
  await deleteStale(dir);
  const place = join(dir, `${PREFIX}${newId()}`);
  return {
    async capture() {
      for (const folder of await listSorted(dir, FOLDER)) {
        await mkdir(join(place, folder), { recursive: true, mode: 0o700 });
        const keys = await listSorted(join(dir, folder), KEY);
        await Promise.all(keys.map((key) => linkOrCopy(join(dir, folder, key), join(place, folder, key))));
      }
    },
    has: (key) =>
      stat(join(place, folderOf(key), key)).then(
        () => true,
        () => false,
      ),
    async *names() {
      for (const folder of await listSorted(place, FOLDER)) {
        for (const key of await listSorted(join(place, folder), KEY)) yield `${folder}/${key}`;
      }
    },
    async open(name) {
      const path = join(place, name);
      return { size: (await stat(path)).size, bytes: createReadStream(path, { highWaterMark: PIECE_BYTES }) };
    },
    release: () => rm(place, { recursive: true, force: true }),
  };
}

const PREFIX = 'backup-';
const FOLDER = /^[0-9A-HJKMNP-TV-Z]{2}$/;
const KEY = /^[0-9A-HJKMNP-TV-Z]{26}$/;
const PIECE_BYTES = 1024 * 1024;
const DAY_MS = 86_400_000;

const folderOf = (key: string) => key.slice(-2);

const listSorted = async (dir: string, pattern: RegExp) =>
  (await readdir(dir).catch(ifMissing([]))).filter((name) => pattern.test(name)).sort();

/** Ignores a file that was just deleted or is already in the snapshot. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'EEXIST') throw error;
      return copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'EEXIST') throw error;
  }
}

/** Deletes snapshots of killed backups. */
async function deleteStale(dir: string): Promise<void> {
  for (const name of await readdir(dir).catch(ifMissing([]))) {
    if (!name.startsWith(PREFIX)) continue;
    const { mtimeMs } = await stat(join(dir, name)).catch(ifMissing({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > DAY_MS) await rm(join(dir, name), { recursive: true, force: true });
  }
}

const ifMissing =
  <T>(fallback: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code !== 'ENOENT') throw error;
    return fallback;
  };

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
