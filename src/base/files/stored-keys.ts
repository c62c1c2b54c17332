import { readdir, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing, syncFolder } from '../file-system.ts';
import { newId } from '../ids.ts';
import { isFileKey, isKeyFolder, keyToPath } from './file-key.ts';
import { toStorageError } from './storage-unavailable.ts';
import { writeTempFile } from './temp-file.ts';

/** The marker object of a storage, beside the folders. */
export const MARKER = 'owner';

/** What a file store has, whether or not a row refers to it. */
export interface StoredKeys {
  /** The keys in a folder of {@link keyToPath}; without one, all keys. */
  keys(folder?: string): AsyncIterable<string>;
  /** See `claimStorage`. Undefined without a marker. */
  readMarker(): Promise<string | undefined>;
  /** Replaces the marker as a whole. */
  writeMarker(text: string): Promise<void>;
}

export function folderKeys(dir: string): StoredKeys {
  const list = async (path: string) => (await readdir(path).catch(ifMissing)) ?? [];
  const failStorage = (error: unknown): never => {
    throw toStorageError(error);
  };
  return {
    async *keys(folder) {
      const folders = folder === undefined ? (await list(dir).catch(failStorage)).filter(isKeyFolder) : [folder];
      for (const name of folders) {
        const keys = await list(join(dir, name)).catch(failStorage);
        yield* keys.filter((key) => isFileKey(key) && keyToPath(key) === `${name}/${key}`);
      }
    },
    readMarker: () => readFile(join(dir, MARKER), 'utf8').catch(ifMissing).catch(failStorage),
    async writeMarker(text) {
      // `Files.cleanup` deletes files that a crash leaves there.
      const tempDir = join(dir, 'incoming');
      const draft = join(tempDir, newId());
      try {
        const limits = { maxBytes: Number.POSITIVE_INFINITY, signal: undefined };
        await writeTempFile(draft, Buffer.from(text), { ...limits, durable: true });
        await rename(draft, join(dir, MARKER));
        await syncFolder(dir);
      } catch (error) {
        await unlink(draft).catch(() => {});
        failStorage(error);
      }
    },
  };
}
