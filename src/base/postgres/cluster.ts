import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing } from '../file-system.ts';
import { OperatorError } from '../operator-error.ts';
import { readOrCreate } from '../secrets.ts';
import { type ClusterOptions, createCluster } from './initdb.ts';
import { chownCluster, chownToFolderOwner } from './server-account.ts';

/** Creates the cluster if missing; throws if it has another major version. */
export async function ensureCluster(options: ClusterOptions): Promise<void> {
  const { cluster, account, binaries } = options;
  const version = await versionOf(cluster);
  if (version === undefined) {
    await createCluster(options);
  } else if (version !== binaries.major) {
    throw new OperatorError(
      `The database in ${cluster} was created by PostgreSQL ${version}, but this program contains ${binaries.major}. ` +
        'Create a backup with the version of this program that created it (`node scripts/assay.mjs backup FILE`) and restore it into a ' +
        'new DATA_DIR with this version (`node scripts/assay.mjs restore FILE`).',
    );
  }
  await chownCluster(cluster, account);
}

/** The superuser's password, created once in a file with mode 0600. */
export async function clusterPassword(home: string): Promise<string> {
  const path = join(home, 'password');
  const known = await readFile(path, 'utf8').catch(() => '');
  if (known) return known.trim();
  if ((await versionOf(join(home, 'cluster'))) !== undefined) {
    throw new OperatorError(
      `The password of the database is missing: restore the file ${path} together with the folder cluster beside it.`,
    );
  }
  const make = () => `${randomBytes(24).toString('base64url')}\n`;
  return (await readOrCreate(path, make, chownToFolderOwner)).toString('utf8').trim();
}

async function versionOf(cluster: string): Promise<string | undefined> {
  const version = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(ifMissing);
  if (version !== undefined) return version.trim();
  const rest = await readdir(cluster).catch(() => []);
  if (rest.length === 0) return undefined;
  throw new OperatorError(
    `${cluster} is not empty, but it is not a PostgreSQL database either. Move it away, or restore it.`,
  );
}
