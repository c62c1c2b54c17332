// Assay with its real gateway and cleanup, and a worker with a no-op model.
import { fileURLToPath } from 'node:url';
import { openDb } from '../../../dist/base/db.js';
import { newId } from '../../../dist/base/ids.js';
import { migrate } from '../../../dist/base/migrate.js';
import { createPostgresTaskStore } from '../../../dist/tasks/postgres.js';
import { TOKEN } from '../client.mjs';
import { log, startPostgres } from './postgres.mjs';

const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
const WORKER = fileURLToPath(new URL('../processes/worker.mjs', import.meta.url));

export async function openAssay(environment) {
  const dataDir = environment.folder('assay');
  const postgres = await startPostgres(environment, dataDir);
  const db = openDb({ url: postgres.url, log });
  await migrate(db, new URL('../../../migrations/', import.meta.url));
  const tasks = createPostgresTaskStore(db);
  const env = (limitPerMinute) => ({
    APP_ENV: 'test',
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    DATABASE_URL: postgres.url,
    FILES_HOST: 'files.assay.internal',
    SERVICES: 'defectoscopy',
    DEFECTOSCOPY_PORT: '0',
    DEFECTOSCOPY_API_TOKENS: TOKEN,
    DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: String(limitPerMinute),
    LOG_LEVEL: 'silent',
  });
  await environment.run(MAIN, ['sweep'], env(0), { sendsMessage: false });

  return {
    name: 'Assay',
    async listen(limitPerMinute) {
      const { child, message } = await environment.run(MAIN, ['serve'], env(limitPerMinute));
      return { url: message.listening.defectoscopy, child };
    },
    async worker({ holds = false } = {}) {
      const args = ['assay', JSON.stringify({ holds })];
      const { child } = await environment.run(WORKER, args, { ...env(0), HOLDS: holds ? '1' : '' });
      return child;
    },
    async fill(inputs) {
      const accept = ({ priority, ...input }) =>
        tasks.accept({
          ...{ id: newId(), service: 'defectoscopy', principal: 'bench', priority, input },
          ...{ estimateSeconds: 90, deadlineSeconds: 3600, ttlSeconds: 7200 },
        });
      const accepted = await Promise.all(inputs.map(accept));
      return accepted.map(({ id }) => id);
    },
    async unfinished() {
      const { rows } = await db.query(`select count(*) as n from tasks where status not in ('done', 'failed')`);
      return rows[0].n;
    },
    async tasksPerSecond() {
      const { rows } = await db.query(
        `select count(*)::float8 / extract(epoch from max(finished_at) - min(started_at))::float8 as rate from tasks`,
      );
      return rows[0].rate;
    },
    async clear() {
      await db.query('truncate tasks cascade');
    },
    storePid: postgres.pid,
    killStore: postgres.kill,
    restartStore: postgres.restart,
    async countStored(ids) {
      const { rows } = await db.query('select count(*) as n from tasks where id = any($1::text[])', [ids]);
      return rows[0].n;
    },
    async close() {
      tasks.close();
      await db.close();
    },
  };
}
