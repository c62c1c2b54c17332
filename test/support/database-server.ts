import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../src/base/embedded-postgres.ts';
import { createLog } from '../../src/base/log.ts';
import { isServerOf, readLockFile } from '../../src/base/postgres/postmaster.ts';
import { isAlive } from '../../src/base/postgres/processes.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A server on which tests create databases; see test/support/database.ts. */
    databaseUrl: string;
  }
}

/** Starts one PostgreSQL for the whole run, unless TEST_DATABASE_URL names an existing one. */
export default async function databaseServer(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const existing = process.env['TEST_DATABASE_URL'];
  if (existing) {
    project.provide('databaseUrl', existing);
    return undefined;
  }
  await removeAbandoned();
  const folder = await mkdtemp(join(tmpdir(), `assay-test-${process.pid}-`));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await chmod(folder, 0o711); // as in production
    const server = await startEmbeddedPostgres({
      dataDir: folder,
      log: createLog('warn', 'test-database'),
      unsafeForTests: true,
    });
    // Over TCP, so that tests can put a proxy or a pooler before it.
    const url = new URL(server.url);
    url.hostname = '127.0.0.1';
    project.provide('databaseUrl', url.href);
    return async () => {
      await server.stop().finally(remove);
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Removes the servers of runs that were killed. */
async function removeAbandoned(): Promise<void> {
  for (const parent of new Set([tmpdir(), '/tmp', '/var/tmp', '/dev/shm'])) {
    for (const name of await readdir(parent).catch(() => [])) {
      const pid = Number(/^assay-test-(\d+)-/.exec(name)?.[1]);
      if (!pid || (await isAlive(pid))) continue;
      const folder = join(parent, name);
      for (const dataDir of [folder, join(folder, 'data'), join(folder, 'home', 'data')]) {
        const cluster = join(dataDir, 'postgres', 'cluster');
        const lock = await readLockFile(cluster);
        if (lock && (await isServerOf(lock.pid, cluster))) process.kill(lock.pid, 'SIGQUIT');
      }
      // Not deleted: another user's folder, or a mounted one.
      await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
    }
  }
}
