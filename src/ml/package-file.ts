import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { OperatorError } from '../base/operator-error.ts';

/**
 * A file of an npm package, given as `package/path`. Throws an {@link OperatorError} if it is missing or its SHA-256
 * differs from the tested one.
 */
export async function verifiedPackageFile(file: string, sha256: string): Promise<{ path: string; bytes: Buffer }> {
  try {
    const path = createRequire(import.meta.url).resolve(file);
    const bytes = await readFile(path);
    const found = createHash('sha256').update(bytes).digest('hex');
    if (found !== sha256) throw new Error(`its SHA-256 is ${found}`);
    return { path, bytes };
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : error;
    throw new OperatorError(`The model file ${file} is missing or damaged (${reason}). Run \`npm ci\` again.`, {
      cause: error,
    });
  }
}
