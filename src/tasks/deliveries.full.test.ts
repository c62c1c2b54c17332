import { expect, it } from 'vitest';
import { testDatabase } from '../../test/support/database.ts';
import { openDb } from '../base/db.ts';
import { newId } from '../base/ids.ts';
import { createLog } from '../base/log.ts';
import { createPostgresTaskStore } from './postgres.ts';

const FINISHED = 200_000;
const ROUNDS = 20;

it('finding and taking a delivery does not read 200 000 finished deliveries kept by an open snapshot', async () => {
  const { url, drop } = await testDatabase();
  const log = createLog('silent', 'test');
  const one = openDb({ url, log, max: 1 }); // one connection, whose statistics can be flushed
  const reader = openDb({ url, log, max: 1 });
  const store = createPostgresTaskStore(one);
  await one.query(
    `insert into tasks (id, service, principal, status, input, estimate_seconds, finished_at)
     select 't' || n, 'a', 'p', 'done', '{}', 1, now() from generate_series(1, $1::int) n`,
    [FINISHED],
  );
  await one.query(
    `insert into deliveries (id, task_id, principal, url, origin, due_at)
     select 'd' || n, 't' || n, 'p', 'https://r.example/', 'https://r' || n % 100 || '.example', now() - interval '1 minute'
       from generate_series(1, $1::int) n`,
    [FINISHED],
  );
  await one.query('analyze');
  const entriesRead = async () => {
    await one.query('select pg_stat_force_next_flush()');
    const { rows } = await one.query<{ n: number }>(
      "select sum(idx_tup_read)::int8 as n from pg_stat_user_indexes where relname = 'deliveries'",
    );
    return rows[0]!.n;
  };

  await reader.transaction(async (tx) => {
    await tx.query('set transaction isolation level repeatable read');
    await tx.query('select count(*) from deliveries');
    await one.query("update deliveries set due_at = null, state = 'delivered'");
    await one.query('vacuum deliveries');
    let page = await store.findDueDeliveries(1000);
    expect(page).toMatchObject({ isLast: true, queues: [] });

    const before = await entriesRead();
    const began = performance.now();
    for (let n = 0; n < ROUNDS; n++) {
      const id = newId();
      const task = { service: 'a', principal: 'p', priority: 'realtime', input: {}, estimateSeconds: 1 } as const;
      await store.accept({ ...task, id, webhook: { deliveryId: `whd_${n}`, url: 'https://r1.example/' } });
      await store.cancel('a', id);
      page = await store.findDueDeliveries(1000, page.next);
      expect(page.queues).toMatchObject([{ principal: 'p', origin: 'https://r1.example' }]);
      const [due] = await store.claimDueDeliveries([{ ...page.queues[0]!, limit: 4 }], 60_000);
      expect(await store.recordDelivery(due!.id, 1, { state: 'delivered', statusCode: 204 })).toBe(true);
    }
    const ms = performance.now() - began;
    expect((await entriesRead()) - before, `${Math.round(ms)} ms`).toBeLessThan(FINISHED / 10);
  });
  store.close();
  await Promise.all([one.close(), reader.close()]);
  await drop();
});
