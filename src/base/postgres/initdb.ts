import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ignoreErrors, syncFolder } from '../file-system.ts';
import type { Log } from '../log.ts';
import { OperatorError } from '../operator-error.ts';
import type { Binaries } from './binaries.ts';
import { isAlive } from './processes.ts';
import {
  type Account,
  chownCluster,
  chownToAccount,
  NOBODY,
  reachablePath,
  serverEnvironment,
} from './server-account.ts';

export const SUPERUSER = 'assay';

export interface ClusterOptions {
  cluster: string;
  account: Account;
  binaries: Binaries;
  password: string;
  unsafeForTests: boolean;
  log: Log;
}

/** Creates a cluster in a temporary folder and moves it into place when it is complete. */
export async function createCluster(options: ClusterOptions): Promise<void> {
  const { cluster, account, password, log } = options;
  const home = dirname(cluster);
  await deleteStale(home);
  const draft = join(home, `initdb-${process.pid}-${randomBytes(4).toString('hex')}`);
  const passwordFile = `${draft}.password`;
  const began = performance.now();
  try {
    await mkdir(draft, { mode: 0o700 });
    await writeFile(passwordFile, password, { mode: 0o600, flag: 'wx' });
    await initdb(draft, passwordFile, options);
    await chownCluster(draft, account);
    await moveIntoPlace(draft, cluster);
    log.info({ cluster, ms: Math.round(performance.now() - began) }, 'created a new database');
  } finally {
    await rm(draft, { recursive: true, force: true });
    await rm(passwordFile, { force: true });
  }
}

// The server uses its builtin Unicode provider, but pg_trgm uses the system locale to classify letters. The first locale
// that the system has is used; with C, pg_trgm ignores Cyrillic.
const CTYPES = ['C.UTF-8', 'en_US.UTF-8', 'C'];

async function initdb(
  draft: string,
  passwordFile: string,
  { account, binaries, unsafeForTests, log }: ClusterOptions,
): Promise<void> {
  let user = account;
  let ctypes = CTYPES;
  for (;;) {
    for (const path of [draft, passwordFile]) await chownToAccount(path, user);
    const args = [
      `--pgdata=${await reachablePath(draft, user)}`,
      `--username=${SUPERUSER}`,
      `--pwfile=../${basename(passwordFile)}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      `--lc-ctype=${ctypes[0]}`,
      '--data-checksums',
      '--no-instructions',
      ...(unsafeForTests ? ['--no-sync'] : []),
    ];
    const options = { ...user, cwd: draft, env: serverEnvironment(), windowsHide: true };
    const failure = await promisify(execFile)(binaries.initdb, args, options).then(
      () => undefined,
      (error: unknown) => error as Error & { code?: unknown; stderr?: string },
    );
    if (!failure) return;
    const output = failure.stderr ?? '';
    if (/invalid locale name/.test(output) && ctypes.length > 1) {
      log.warn({ ctype: ctypes[0] }, 'the locale is missing on this system; trying another one');
      ctypes = ctypes.slice(1);
    } else if (NO_USER_NAME.test(output) && user.uid !== undefined && user !== NOBODY) {
      user = NOBODY; // `createCluster` changes the owner afterwards
    } else {
      throw new OperatorError(failureMessage(failure), { cause: failure });
    }
  }
}

// initdb, unlike the server, needs an entry in /etc/passwd, which a container started with --user 1234 lacks.
const NO_USER_NAME = /could not look up effective user ID/;

function failureMessage({ code, stderr, message }: Error & { code?: unknown; stderr?: string }): string {
  const alternative = 'Or set DATABASE_URL to your own PostgreSQL (15 or newer).';
  if (code === 'ENOENT') {
    return `PostgreSQL cannot run here: its programs need glibc, which Alpine and other musl systems lack. ${alternative}`;
  }
  if (NO_USER_NAME.test(stderr ?? '')) {
    return (
      `The user id ${process.getuid?.()} has no name on this system, which PostgreSQL needs to create a database. ` +
      `Start as a user with an entry in /etc/passwd, or as root. ${alternative}`
    );
  }
  return `The database could not be created: ${(stderr || message).trim()}`;
}

async function moveIntoPlace(draft: string, cluster: string): Promise<void> {
  // If another process was faster, its cluster is used.
  await rename(draft, cluster).catch(ignoreErrors('ENOTEMPTY', 'EEXIST'));
  await syncFolder(dirname(cluster)).catch(() => {}); // not every file system can
}

/** Deletes the folders of processes that no longer run. */
async function deleteStale(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    const pid = Number(/^initdb-(\d+)-/.exec(name)?.[1]);
    if (!pid || pid === process.pid || (await isAlive(pid))) continue;
    await rm(join(home, name), { recursive: true, force: true, maxRetries: 5 });
  }
}
