import { text } from 'node:stream/consumers';
import type { Migration } from '../migration-files.ts';
import { OperatorError } from '../operator-error.ts';
import { readArchive } from './archive-reader.ts';
import { MANIFEST_NAME, type Manifest, parseManifest } from './manifest.ts';
import { CorruptArchive } from './tar.ts';

/** Throws an `OperatorError` if the file is not a backup, damaged, or newer than this program. */
export async function verifyBackup(
  source: AsyncIterable<Buffer>,
  { name, migrations, onBytes }: { name: string; migrations: Migration[]; onBytes: (bytes: number) => void },
): Promise<Manifest> {
  let first: string | undefined;
  let bytes = 0;
  try {
    for await (const entry of readArchive(source)) {
      if (first === undefined) {
        if (entry.name !== MANIFEST_NAME || entry.size > MAX_MANIFEST_BYTES)
          throw new CorruptArchive('the first entry is not the manifest');
        first = await text(entry.content);
      }
      bytes += entry.size;
      onBytes(bytes);
    }
  } catch (error) {
    if (!(error instanceof CorruptArchive)) throw error;
    if (first === undefined) throw new OperatorError(`${name} is not a backup of Assay, or its beginning is damaged.`);
    throw new OperatorError(`The backup ${name} is damaged: ${error.message}. Nothing was changed; use another one.`);
  }
  return parseManifest(first!, migrations);
}

const MAX_MANIFEST_BYTES = 16 * 1024 * 1024;
