import { constants, createReadStream } from 'node:fs';
import { copyFile, link, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../ids.ts';

/** Files of a store that stay readable for a while, whoever removes them meanwhile. */
export interface HeldFiles {
  /** Where they stay, if a backup does not take them along. */
  readonly place?: string;
  /** Holds what is there now, and what it held already. */
  hold(): Promise<void>;
  has(key: string): Promise<boolean>;
  /** Folder and key of each, as `XX/KEY`, in order. */
  names(): AsyncIterable<string>;
  open(name: string): Promise<{ size: number; bytes: AsyncIterable<Buffer> }>;
  release(): Promise<void>;
}

/**
 * Holds the files of the store in `dir` by second names beside the first, which takes no space: a file never changes
 * under its key, and is gone only with its last name. A file system that knows one name per file is copied instead.
 */
export async function holdFiles(dir: string): Promise<HeldFiles> {
  await removeForgotten(dir);
  const place = join(dir, `${PREFIX}${newId()}`);
  return {
    async hold() {
      for (const folder of await inOrder(dir, FOLDER)) {
        await mkdir(join(place, folder), { recursive: true, mode: 0o700 });
        const keys = await inOrder(join(dir, folder), KEY);
        await Promise.all(keys.map((key) => nameTwice(join(dir, folder, key), join(place, folder, key))));
      }
    },
    has: (key) =>
      stat(join(place, folderOf(key), key)).then(
        () => true,
        () => false,
      ),
    async *names() {
      for (const folder of await inOrder(place, FOLDER)) {
        for (const key of await inOrder(join(place, folder), KEY)) yield `${folder}/${key}`;
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
const A_DAY_MS = 86_400_000;

/** As files.ts spreads them. */
const folderOf = (key: string) => key.slice(-2);

const inOrder = async (dir: string, pattern: RegExp) =>
  (await readdir(dir).catch(ifMissing([]))).filter((name) => pattern.test(name)).sort();

/** No error where it has been removed a moment ago, or is held already. */
async function nameTwice(from: string, to: string): Promise<void> {
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

/** What a backup that was killed still holds: a file that nobody refers to keeps its space until then. */
async function removeForgotten(dir: string): Promise<void> {
  for (const name of await readdir(dir).catch(ifMissing([]))) {
    if (!name.startsWith(PREFIX)) continue;
    const { mtimeMs } = await stat(join(dir, name)).catch(ifMissing({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > A_DAY_MS) await rm(join(dir, name), { recursive: true, force: true });
  }
}

const ifMissing =
  <T>(instead: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code !== 'ENOENT') throw error;
    return instead;
  };
