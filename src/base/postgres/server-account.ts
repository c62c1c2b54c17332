import { access, chmod, chown, constants, lchown, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { succeeds } from '../file-system.ts';
import { OperatorError } from '../operator-error.ts';

/** The operating system user that runs the server; empty: the current user. */
export interface Account {
  uid?: number;
  gid?: number;
}

// The system user "nobody", because PostgreSQL does not run as root.
export const NOBODY = { uid: 65_534, gid: 65_534 };
const IS_ROOT = process.getuid?.() === 0;

/**
 * If started as root, the owner of the cluster or of its parent folder, or "nobody" if that is root; otherwise the current
 * user.
 */
export async function chooseAccount(cluster: string): Promise<Account> {
  const owner = await stat(cluster).catch(() => undefined);
  if (IS_ROOT) {
    const { uid, gid } = owner ?? (await stat(dirname(cluster)));
    return uid === 0 ? NOBODY : { uid, gid };
  }
  if (owner && process.getuid && owner.uid !== process.getuid()) {
    throw new OperatorError(
      `The database in ${cluster} belongs to the user id ${owner.uid}, but this process runs as ` +
        `${process.getuid()}. Start as that user or as root, or change the owner with chown -R.`,
    );
  }
  return {};
}

export const READ_PERMISSION = 4;
export const ENTER_PERMISSION = 1;

/** Whether the account may traverse every folder above `path` and has the permissions `required` on `path` itself. */
export async function canReach(path: string, account: Account, required: number): Promise<boolean> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) return false;
  if (account.uid === undefined) {
    const mode = (required & READ_PERMISSION ? constants.R_OK : 0) | (required & ENTER_PERMISSION ? constants.X_OK : 0);
    return succeeds(access(real, mode));
  }
  if (!(await allowed(real, account, required))) return false;
  for (let folder = dirname(real); ; folder = dirname(folder)) {
    if (!(await allowed(folder, account, ENTER_PERMISSION))) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** After a start as root, gives a file to the owner of its folder. */
export async function chownToFolderOwner(path: string): Promise<void> {
  if (!IS_ROOT) return;
  const { uid, gid } = await stat(dirname(path));
  await chown(path, uid, gid);
}

export async function chownToAccount(path: string, { uid, gid }: Account): Promise<void> {
  if (uid === undefined || gid === undefined) return;
  await chown(path, uid, gid).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPERM' && error.code !== 'EINVAL') throw error;
    throw new OperatorError(
      'PostgreSQL does not run as root, and root may not switch to another user here. ' +
        'Start as an ordinary user, or set DATABASE_URL to your own PostgreSQL (15 or newer).',
      { cause: error },
    );
  });
}

/** Makes the account the owner of the cluster, for example after a restore as root, and sets the mode PostgreSQL requires. */
export async function chownCluster(cluster: string, account: Account): Promise<void> {
  await chmod(cluster, 0o700);
  const { uid, gid } = account;
  if (uid === undefined || gid === undefined || (await stat(cluster)).uid === uid) return;
  const entries = await readdir(cluster, { recursive: true });
  await Promise.all(entries.map((entry) => lchown(join(cluster, entry), uid, gid)));
  await lchown(cluster, uid, gid); // last, so that an interrupted change is repeated
}

/**
 * The cluster path for the server, which starts inside the cluster. An account that may not traverse the parent folders (a
 * DATA_DIR in root's home) can use /proc/self/cwd on Linux.
 */
export async function reachablePath(cluster: string, account: Account): Promise<string> {
  if (account.uid === undefined || (await canReach(dirname(cluster), account, ENTER_PERMISSION))) return cluster;
  if (process.platform === 'linux') return '/proc/self/cwd';
  throw new OperatorError(
    `PostgreSQL does not run as root, and its user id ${account.uid} cannot enter ` +
      `${dirname(cluster)}. Choose a DATA_DIR that other users can enter, or start as an ordinary user.`,
  );
}

/** The server must not inherit tokens, PGOPTIONS or library paths. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot } = process.env;
  return { PATH: PATH ?? '', TZ: 'UTC', LC_ALL: 'C', ...(SystemRoot ? { SystemRoot } : {}) };
}

async function allowed(path: string, { uid, gid }: Account, required: number): Promise<boolean> {
  const { mode, ...owner } = await stat(path);
  const shift = owner.uid === uid ? 6 : owner.gid === gid ? 3 : 0;
  return ((mode >> shift) & required) === required;
}
