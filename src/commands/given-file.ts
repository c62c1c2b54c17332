import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { OperatorError } from '../base/operator-error.ts';

/** A file as it can be uploaded: from the disk, however large it is. */
export async function givenFile(path: string): Promise<{ name: string; data: Blob }> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new OperatorError(`${path} is a folder.`);
    if (found.size === 0) throw new OperatorError(`${path} is empty.`);
    return { name: basename(path), data: await openAsBlob(path) };
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new OperatorError(code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read (${code}).`);
  }
}

/** An address is passed on, anything else is a file. */
export const givenSource = async (source: string): Promise<string | Blob> =>
  /^https?:\/\//i.test(source) ? source : (await givenFile(source)).data;
