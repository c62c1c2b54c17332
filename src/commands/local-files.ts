import { constants, openAsBlob } from 'node:fs';
import { access, open, stat, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { OperatorError } from '../base/operator-error.ts';
import { MAX_SPOKEN_FORMS } from '../services/stt/api-schema.ts';
import { parseTermLines, type WrittenTerm } from '../services/stt/browser/term-lines.ts';
import { parseTerms } from '../services/stt/parse-terms.ts';

export async function openInputFile(path: string): Promise<{ name: string; data: Blob }> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new OperatorError(`${path} is a folder.`);
    if (found.size === 0) throw new OperatorError(`${path} is empty.`);
    // `openAsBlob` does not open the file yet.
    await (await open(path)).close();
    return { name: basename(path), data: await openAsBlob(path) };
  } catch (error) {
    throw error instanceof OperatorError ? error : unreadable(path, error as NodeJS.ErrnoException);
  }
}

export const unreadable = (path: string, { code }: NodeJS.ErrnoException): OperatorError =>
  new OperatorError(
    code === 'ENOENT' ? `The file ${path} does not exist.` : `${path} cannot be read: ${reasonOf(code)}.`,
  );

const reasonOf = (code: string | undefined): string => (code === 'EACCES' ? 'permission denied' : `${code}`);

/** The terms of a text file; undefined without a file. Throws an OperatorError that names the line of an invalid term. */
export async function readVocabularyFile(path: string | undefined): Promise<WrittenTerm[] | undefined> {
  if (path === undefined) return undefined;
  const lines = (await (await openInputFile(path)).data.text()).split('\n');
  return lines.flatMap((line, at) => {
    const terms = parseTermLines(line);
    const invalid = (reason: string) => new OperatorError(`${path}, line ${at + 1}: ${reason}`);
    if (terms.some(({ spoken }) => spoken.length > MAX_SPOKEN_FORMS))
      throw invalid(`at most ${MAX_SPOKEN_FORMS} spoken forms.`);
    try {
      parseTerms(
        'term',
        terms.map(({ term, spoken }) => ({ term, spoken: [...spoken] })),
      );
    } catch (error) {
      throw invalid((error as Error).message.replace(/^term\.0[.\w]*: /, ''));
    }
    return terms;
  });
}

export const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() ?? false;

export const isFile = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isFile() ?? false;

export async function writeOutputFile(path: string, content: string | Uint8Array): Promise<void> {
  await writeFile(path, content).catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(`${path} cannot be written: ${reasonOf(error.code)}.`);
  });
}

/** Throws when the folder is missing or read-only. */
export async function checkOutputFolder(output: string): Promise<void> {
  await access(dirname(output), constants.W_OK).catch(({ code }: NodeJS.ErrnoException) => {
    const reason = code === 'ENOENT' ? `the folder ${dirname(output)} does not exist` : reasonOf(code);
    throw new OperatorError(`${output} cannot be written: ${reason}.`);
  });
}

export const openInputSource = async (source: string): Promise<{ name?: string; data: string | Blob }> =>
  /^https?:\/\//i.test(source) ? { data: source } : openInputFile(source);
