import { access, chmod, chown, constants, lchown, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OperatorError } from '../operator-error.ts';

/** Who runs the server: an empty account is ourselves. */
export interface Account {
  uid?: number;
  gid?: number;
}

// "nobody": no files, no rights, present on every system. PostgreSQL refuses to run as root.
export const NOBODY = { uid: 65_534, gid: 65_534 };
const IS_ROOT = process.getuid?.() === 0;

/**
 * Started as root, the server runs as the owner of its cluster, or, before there is one, of the folder for it; if that
 * is root too, as nobody. Started as anyone else, it runs as that one.
 */
export async function accountFor(cluster: string): Promise<Account> {
  const owner = await stat(cluster).catch(() => undefined);
  if (IS_ROOT) {
    const { uid, gid } = owner ?? (await stat(dirname(cluster)));
    return uid === 0 ? NOBODY : { uid, gid };
  }
  if (owner && process.getuid && owner.uid !== process.getuid()) {
    throw new OperatorError(
      `The database in ${cluster} belongs to the user with the id ${owner.uid}, and this process is ` +
        `${process.getuid()}. Start as that user or as root, or give it away with chown -R.`,
    );
  }
  return {};
}

export const READ = 4;
export const ENTER = 1;

/** Whether the account may pass every folder above `path`, and has the rights `wanted` on `path` itself. */
export async function canReach(path: string, account: Account, wanted: number): Promise<boolean> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) return false;
  if (account.uid === undefined) {
    const mode = (wanted & READ ? constants.R_OK : 0) | (wanted & ENTER ? constants.X_OK : 0);
    return access(real, mode).then(
      () => true,
      () => false,
    );
  }
  if (!(await allowed(real, account, wanted))) return false;
  for (let folder = dirname(real); ; folder = dirname(folder)) {
    if (!(await allowed(folder, account, ENTER))) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** Gives a file to the owner of the folder it lies in, so that a start as root leaves nothing that its owner cannot use. */
export async function handOver(path: string): Promise<void> {
  if (!IS_ROOT) return;
  const { uid, gid } = await stat(dirname(path));
  await chown(path, uid, gid);
}

/** Makes a new file or folder the account's own. */
export async function give(path: string, { uid, gid }: Account): Promise<void> {
  if (uid === undefined || gid === undefined) return;
  await chown(path, uid, gid).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPERM' && error.code !== 'EINVAL') throw error;
    throw new OperatorError(
      'PostgreSQL does not run as root, and here root may not act as another user. ' +
        'Start as an ordinary user, or set DATABASE_URL to a PostgreSQL of your own (15 or newer).',
      { cause: error },
    );
  });
}

/** Makes the cluster the account's own, which it is not after a restore by root; PostgreSQL insists on its mode too. */
export async function ownCluster(cluster: string, account: Account): Promise<void> {
  await chmod(cluster, 0o700);
  const { uid, gid } = account;
  if (uid === undefined || gid === undefined || (await stat(cluster)).uid === uid) return;
  const entries = await readdir(cluster, { recursive: true });
  await Promise.all(entries.map((entry) => lchown(join(cluster, entry), uid, gid)));
  await lchown(cluster, uid, gid); // at the very end: a change of hands that was interrupted is begun again
}

/**
 * Where the server looks for its cluster, given that it starts inside it. An account that may not pass the folders
 * above (a DATA_DIR in root's home) is already in; Linux lets it name the place without walking there.
 */
export async function wayInto(cluster: string, account: Account): Promise<string> {
  if (account.uid === undefined || (await canReach(dirname(cluster), account, ENTER))) return cluster;
  if (process.platform === 'linux') return '/proc/self/cwd';
  throw new OperatorError(
    `PostgreSQL does not run as root, and the user id ${account.uid}, which it runs as instead, cannot enter ` +
      `${dirname(cluster)}. Choose a DATA_DIR that others may pass, or start as an ordinary user.`,
  );
}

/** Nothing of ours (tokens, PGOPTIONS, a library path) leaks into the server. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot } = process.env;
  return { PATH: PATH ?? '', TZ: 'UTC', LC_ALL: 'C', ...(SystemRoot ? { SystemRoot } : {}) };
}

async function allowed(path: string, { uid, gid }: Account, wanted: number): Promise<boolean> {
  const { mode, ...owner } = await stat(path);
  const shift = owner.uid === uid ? 6 : owner.gid === gid ? 3 : 0;
  return ((mode >> shift) & wanted) === wanted;
}
