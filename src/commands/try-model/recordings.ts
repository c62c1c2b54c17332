import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OperatorError } from '../../base/operator-error.ts';
import { PACKAGE_ROOT } from '../../config.ts';
import { findItems } from '../folder/find-items.ts';
import { isFolder } from '../local-files.ts';
import { throwOperatorError } from '../terminal.ts';

export interface Recording {
  readonly name: string;
  readonly path: string;
  /** ISO 639-1; absent: detected by the model. */
  readonly language?: string | undefined;
  /** What is said. */
  readonly reference: string;
}

/** Recordings of this package in a language: `examples/speech/en`. */
export async function bundledRecordings(): Promise<Recording[]> {
  const folder = fileURLToPath(new URL('examples/speech/', PACKAGE_ROOT));
  const entries = await readdir(folder, { withFileTypes: true });
  const languages = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const found = await Promise.all(
    languages.sort().map(async (language) => {
      const { recordings } = await findRecordings(join(folder, language));
      return recordings.map((each) => ({ ...each, language }));
    }),
  );
  return found.flat();
}

/** Recordings with a text file of the same name beside them, and the names of those without one. */
export async function findRecordings(
  folder: string,
): Promise<{ recordings: readonly Recording[]; skipped: readonly string[] }> {
  if (!(await isFolder(folder))) throw new OperatorError(`There is no folder ${folder}.`);
  const items = await findItems(folder, 'recordings', folder).catch(throwOperatorError);
  const recordings: Recording[] = [];
  const skipped: string[] = [];
  for (const { name, paths } of items) {
    const path = paths[0]!;
    const reference = await readReference(path.replace(/\.[^.]+$/, '.txt')).catch(throwOperatorError);
    if (reference === undefined) skipped.push(name);
    else recordings.push({ name, path, reference });
  }
  if (recordings.length > 0) return { recordings, skipped };
  throw new OperatorError(
    `None of the ${skipped.length} recordings in ${folder} has a text file beside it: for a.mp3, write what is said into a.txt.`,
  );
}

/** Four hours of speech have 300 KiB. */
const MAX_REFERENCE_BYTES = 2 ** 20;

async function readReference(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) return undefined;
  if (found.size > MAX_REFERENCE_BYTES) throw new OperatorError(`${path} is larger than 1 MiB.`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new OperatorError(`${path} is not UTF-8.`);
  }
}
