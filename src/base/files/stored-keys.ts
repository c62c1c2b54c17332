import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing } from '../file-system.ts';
import { isFileKey, isKeyFolder, keyToPath } from './file-key.ts';
import { toStorageError } from './storage-unavailable.ts';

/** The marker object of a storage, beside the folders. */
export const MARKER = 'databases';

/** What a file store has, whether or not a row refers to it. */
export interface StoredKeys {
  /** The keys in a folder of {@link keyToPath}; without one, all keys. */
  keys(folder?: string): AsyncIterable<string>;
  /** The ids of the databases that use the storage, a line each; empty without a marker. */
  readMarker(): Promise<string>;
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
    readMarker: async () => (await readFile(join(dir, MARKER), 'utf8').catch(ifMissing).catch(failStorage)) ?? '',
    async writeMarker(text) {
      // Before the first upload there is no folder.
      await mkdir(dir, { recursive: true }).catch(failStorage);
      await writeFile(join(dir, MARKER), text, { mode: 0o600 }).catch(failStorage);
    },
  };
}
