import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** A file of an npm package, given as `package/path`. Throws if its SHA-256 differs from the tested one. */
export async function verifiedPackageFile(file: string, sha256: string): Promise<{ path: string; bytes: Buffer }> {
  const path = createRequire(import.meta.url).resolve(file);
  const bytes = await readFile(path);
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found !== sha256) throw new Error(`${path} is not the tested file: its SHA-256 is ${found}, not ${sha256}.`);
  return { path, bytes };
}
