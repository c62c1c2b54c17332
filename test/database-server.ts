import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../src/base/embedded-postgres.ts';
import { createLog } from '../src/base/log.ts';
import { isServerOf, readLock } from '../src/base/postgres/postmaster.ts';
import { isAlive } from '../src/base/postgres/processes.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A server where tests make databases of their own; see src/base/testing/database.ts. */
    databaseUrl: string;
  }
}

/** One PostgreSQL for the whole run, thrown away at its end; TEST_DATABASE_URL names another one instead. */
export default async function databaseServer(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given) {
    project.provide('databaseUrl', given);
    return undefined;
  }
  await removeAbandoned();
  const folder = await mkdtemp(join(tmpdir(), `assay-test-${process.pid}-`));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await chmod(folder, 0o711); // as it is in life; the other case has a test of its own
    const server = await startEmbeddedPostgres({
      dataDir: folder,
      log: createLog('warn', 'test-database'),
      unsafeForTests: true,
    });
    project.provide('databaseUrl', server.url);
    return async () => {
      await server.stop().finally(remove);
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** A run that was killed could not stop its server. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = Number(/^assay-test-(\d+)-/.exec(name)?.[1]);
    if (!pid || (await isAlive(pid))) continue;
    const folder = join(tmpdir(), name);
    for (const dataDir of [folder, join(folder, 'data'), join(folder, 'home', 'data')]) {
      const lock = await readLock(join(dataDir, 'postgres', 'cluster'));
      if (lock && (await isServerOf(lock.pid, join(dataDir, 'postgres', 'cluster')))) process.kill(lock.pid, 'SIGQUIT');
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {}); // somebody else's, or a disk of a test
  }
}
