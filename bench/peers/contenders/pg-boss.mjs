// pg-boss behind the same contract, on its own PostgreSQL with the same settings.
import { fileURLToPath } from 'node:url';
import { openDb } from '../../../dist/base/db.js';
import { TOKEN } from '../client.mjs';
import { openQueue } from '../engines/pg-boss.mjs';
import { log, startPostgres } from './postgres.mjs';

const program = (name) => fileURLToPath(new URL(`../processes/${name}.mjs`, import.meta.url));

/** `notify` wakes workers with NOTIFY, at a cost per task; otherwise they poll twice a second. */
export async function openPgBoss(environment, { notify }) {
  const folder = notify ? 'pg-boss-notify' : 'pg-boss';
  const postgres = await startPostgres(environment, environment.folder(folder));
  const db = openDb({ url: postgres.url, log });
  const env = { STORE_URL: postgres.url, TOKEN };
  const open = (queue, tuned) => openQueue({ url: postgres.url, queue, notify, tuned });
  const queues = { predict: await open('predict', false), tuned: await open('tuned', true) };

  return {
    name: notify ? 'pg-boss, notify' : 'pg-boss',
    isVariant: notify, // skipped by measurements that NOTIFY does not affect
    async listen(limitPerMinute) {
      const options = { queue: 'predict', notify, limitPerMinute };
      const { child, message } = await environment.run(program('gateway'), ['pg-boss', JSON.stringify(options)], env);
      return { url: message.listening, child };
    },
    async worker({ queue = 'predict', holds = false } = {}) {
      const options = { queue, notify, holds, tuned: queue === 'tuned' };
      const args = ['pg-boss', JSON.stringify(options)];
      const { child } = await environment.run(program('worker'), args, { ...env, HOLDS: holds ? '1' : '' });
      return child;
    },
    fill: (inputs, queue = 'predict') => queues[queue].addAll(inputs),
    async unfinished() {
      const { rows } = await db.query(
        `select count(*) as n from pgboss.job where name = 'predict' and state < 'completed'`,
      );
      return rows[0].n;
    },
    async tasksPerSecond() {
      const { rows } = await db.query(
        `select count(*)::float8 / extract(epoch from max(completed_on) - min(started_on))::float8 as rate
           from pgboss.job where name = 'predict'`,
      );
      return rows[0].rate;
    },
    async clear() {
      await db.query('truncate pgboss.job cascade');
    },
    storePid: postgres.pid,
    killStore: postgres.kill,
    restartStore: postgres.restart,
    async countStored(ids) {
      const { rows } = await db.query('select count(*) as n from pgboss.job where id = any($1::uuid[])', [ids]);
      return rows[0].n;
    },
    async close() {
      await Promise.all(Object.values(queues).map((queue) => queue.close()));
      await db.close();
    },
  };
}
