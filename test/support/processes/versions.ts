import { cp, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY } from './assay.ts';

/** Copied because the program resolves them relative to itself; the rest is linked. */
const COPIED = ['dist', 'scripts', 'migrations', 'package.json'];

export interface Version {
  readonly from: string;
  remove(): Promise<void>;
}

/** Creates a later version of the product with additional migrations (SQL by file name). */
export async function createLaterVersion(migrations: Readonly<Record<string, string>>): Promise<Version> {
  const from = await mkdtemp(join(tmpdir(), `assay-test-${process.pid}-`));
  for (const name of await readdir(REPOSITORY)) {
    if (name.startsWith('.git') || name.startsWith('dist.')) continue;
    const [source, target] = [join(REPOSITORY, name), join(from, name)];
    if (COPIED.includes(name)) await cp(source, target, { recursive: true, preserveTimestamps: true });
    else await symlink(source, target);
  }
  for (const [name, sql] of Object.entries(migrations)) await writeFile(join(from, 'migrations', name), sql);
  return { from, remove: () => rm(from, { recursive: true, force: true }) };
}
