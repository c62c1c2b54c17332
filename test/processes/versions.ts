import { cp, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY } from './assay.ts';

/** What a program finds relative to itself, and so has to be a copy. */
const COPIED = ['dist', 'scripts', 'migrations', 'package.json'];

export interface Version {
  /** For `startAssay`: the repository that it is started from. */
  readonly from: string;
  remove(): Promise<void>;
}

/** This program as a version of its own that has `migrations` beyond its others: by file name, what is in it. */
export async function laterVersion(migrations: Readonly<Record<string, string>>): Promise<Version> {
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
