import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Log } from '../log.ts';
import { OperatorError } from '../operator-error.ts';
import { type Account, give, NOBODY, ownCluster, serverEnvironment, wayInto } from './account.ts';
import type { Binaries } from './binaries.ts';
import { isAlive } from './processes.ts';

export const SUPERUSER = 'assay';

interface Wanted {
  cluster: string;
  account: Account;
  binaries: Binaries;
  password: string;
  unsafeForTests: boolean;
  log: Log;
}

/**
 * Makes a cluster. It is made beside its place and moved there when it is complete: one that was interrupted half way is
 * begun anew, and what lies in its place is never touched.
 */
export async function makeCluster(wanted: Wanted): Promise<void> {
  const { cluster, account, password, log } = wanted;
  const home = dirname(cluster);
  await removeAbandoned(home);
  const draft = join(home, `initdb-${process.pid}-${randomBytes(4).toString('hex')}`);
  const passwordFile = `${draft}.password`;
  const began = performance.now();
  try {
    await mkdir(draft, { mode: 0o700 });
    await writeFile(passwordFile, password, { mode: 0o600, flag: 'wx' });
    await initdb(draft, passwordFile, wanted);
    await ownCluster(draft, account);
    await moveIntoPlace(draft, cluster);
    log.info({ cluster, ms: Math.round(performance.now() - began) }, 'made a new database');
  } finally {
    await rm(draft, { recursive: true, force: true });
    await rm(passwordFile, { force: true });
  }
}

// The server knows Unicode by itself (the "builtin" provider), on every system alike; but pg_trgm still asks the system
// whether Ё is a letter. The first of these that the system knows is taken; with C, pg_trgm sees no Cyrillic.
const CTYPES = ['C.UTF-8', 'en_US.UTF-8', 'C'];

async function initdb(draft: string, passwordFile: string, { account, binaries, ...wanted }: Wanted): Promise<void> {
  let maker = account;
  let ctypes = CTYPES;
  for (;;) {
    for (const path of [draft, passwordFile]) await give(path, maker);
    const args = [
      `--pgdata=${await wayInto(draft, maker)}`,
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
      ...(wanted.unsafeForTests ? ['--no-sync'] : []),
    ];
    const options = { ...maker, cwd: draft, env: serverEnvironment(), windowsHide: true };
    const failure = await promisify(execFile)(binaries.initdb, args, options).then(
      () => undefined,
      (error: unknown) => error as Error & { code?: unknown; stderr?: string },
    );
    if (!failure) return;
    const said = failure.stderr ?? '';
    if (/invalid locale name/.test(said) && ctypes.length > 1) {
      wanted.log.warn({ ctype: ctypes[0] }, 'this system does not know the locale; trying another');
      ctypes = ctypes.slice(1);
    } else if (NAMELESS.test(said) && maker.uid !== undefined && maker !== NOBODY) {
      maker = NOBODY; // and given to its account when it is complete
    } else {
      throw new OperatorError(whyNot(failure), { cause: failure });
    }
  }
}

// A container started with --user 1234 has no line for that user in /etc/passwd, and initdb, unlike the server, wants one.
const NAMELESS = /could not look up effective user ID/;

function whyNot({ code, stderr, message }: Error & { code?: unknown; stderr?: string }): string {
  const instead = 'Or set DATABASE_URL to a PostgreSQL of your own (15 or newer).';
  if (code === 'ENOENT') {
    return `PostgreSQL cannot be run here: its programs need glibc, which Alpine and other musl systems lack. ${instead}`;
  }
  if (NAMELESS.test(stderr ?? '')) {
    return (
      `The user id ${process.getuid?.()} has no name on this system, and PostgreSQL makes no database for it. ` +
      `Start as a user with a line in /etc/passwd, or as root. ${instead}`
    );
  }
  return `The database could not be made: ${(stderr || message).trim()}`;
}

async function moveIntoPlace(draft: string, cluster: string): Promise<void> {
  await rename(draft, cluster).catch((error: NodeJS.ErrnoException) => {
    // Another process was faster, and its cluster counts.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
  const home = await open(dirname(cluster));
  await home.sync().catch(() => {}); // so that a power cut does not undo the move
  await home.close();
}

/** What a killed start left behind; its name says whose it was. */
async function removeAbandoned(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    const pid = Number(/^initdb-(\d+)-/.exec(name)?.[1]);
    if (!pid || pid === process.pid || (await isAlive(pid))) continue;
    await rm(join(home, name), { recursive: true, force: true, maxRetries: 5 });
  }
}
