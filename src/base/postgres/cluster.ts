import { randomBytes } from 'node:crypto';
import { link, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../log.ts';
import { OperatorError } from '../operator-error.ts';
import type { Binaries } from './binaries.ts';
import { createCluster } from './initdb.ts';
import { type Account, chownCluster, chownToFolderOwner } from './server-account.ts';

/** Creates the cluster if missing; throws if it has another major version. */
export async function ensureCluster({
  cluster,
  account,
  binaries,
  password,
  unsafeForTests,
  log,
}: {
  cluster: string;
  account: Account;
  binaries: Binaries;
  password: string;
  unsafeForTests: boolean;
  log: Log;
}): Promise<void> {
  const version = await versionOf(cluster);
  if (version === undefined) {
    await createCluster({ cluster, account, binaries, password, unsafeForTests, log });
  } else if (version !== binaries.major) {
    throw new OperatorError(
      `The database in ${cluster} was created by PostgreSQL ${version}, but this program contains ${binaries.major}. ` +
        'Create a backup with the version of this program that created it (`assay backup FILE`) and restore it into a ' +
        'new DATA_DIR with this version (`assay restore FILE`).',
    );
  }
  await chownCluster(cluster, account);
}

/** The superuser's password, created once in a file with mode 0600. */
export async function clusterPassword(home: string): Promise<string> {
  const path = join(home, 'password');
  const draft = `${path}-${process.pid}-${randomBytes(4).toString('hex')}`;
  const known = await readFile(path, 'utf8').catch(() => '');
  if (known) return known.trim();
  if ((await versionOf(join(home, 'cluster'))) !== undefined) {
    throw new OperatorError(
      `The password of the database is missing: restore the file ${path} together with the folder cluster beside it.`,
    );
  }
  try {
    await writeFile(draft, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flag: 'wx', flush: true });
    await chownToFolderOwner(draft);
    // A link, not a rename, so that of two concurrent processes both use the first one's password.
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    return (await readFile(path, 'utf8')).trim();
  } finally {
    await rm(draft, { force: true });
  }
}

async function versionOf(cluster: string): Promise<string | undefined> {
  const version = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
  if (version !== undefined) return version.trim();
  const rest = await readdir(cluster).catch(() => []);
  if (rest.length === 0) return undefined;
  throw new OperatorError(
    `${cluster} is not empty, but it is not a PostgreSQL database either. Move it away, or restore it.`,
  );
}
