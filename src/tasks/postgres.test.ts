import { testDatabase } from '../base/testing/database.ts';
import { postgresTaskStore } from './postgres.ts';
import { describeTaskStore } from './store.contract.ts';

describeTaskStore('the task store in PostgreSQL', async () => {
  const { db, drop } = await testDatabase();
  const store = postgresTaskStore(db);
  return {
    store,
    empty: async () => void (await db.query('truncate tasks cascade')),
    async age(id, seconds) {
      const columns = ['queued_at', 'run_at', 'deadline_at', 'expires_at', 'leased_until', 'started_at', 'finished_at'];
      const back = (names: string[]) => names.map((name) => `${name} = ${name} - make_interval(secs => $2)`).join(', ');
      await db.query(`update tasks set ${back(columns)} where id = $1`, [id, seconds]);
      await db.query(`update deliveries set ${back(['due_at', 'leased_until'])} where task_id = $1`, [id, seconds]);
    },
    async close() {
      store.close();
      await drop();
    },
  };
});
