import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database.ts';
import { isUnavailable } from '../base/db-errors.ts';
import { createPostgresWorkerStore, type Heartbeat, type WorkerStore } from './workers.ts';

describe('the model versions that a request may name', () => {
  let database: TestDatabase;
  let workers: WorkerStore;
  beforeAll(async () => {
    database = await testDatabase();
    workers = createPostgresWorkerStore(database.db);
  });
  beforeEach(() => database.db.query('truncate models, workers'));
  afterAll(() => database.drop());

  const beat = (state: Heartbeat['state']) =>
    workers.recordHeartbeat({ id: 'w', role: 'work', service: 'a', state, info: {} });
  const versions = async () => (await workers.readVersions('a')).map(({ version }) => version);
  const age = (version: string, seconds: number) =>
    database.db.query('update models set seen_at = seen_at - make_interval(secs => $2) where version = $1', [
      version,
      seconds,
    ]);

  it('are those that warm workers advertise; removed versions expire within minutes', async () => {
    await beat('warm');
    await workers.advertiseVersions('a', [{ version: '1' }, { version: '2' }]);
    await workers.advertiseVersions('b', [{ version: '9' }]);
    await age('1', 181);
    expect(await versions()).toEqual(['2']);
    await workers.advertiseVersions('a', [{ version: '1' }]);
    expect(await versions()).toEqual(['1', '2']);
  });

  it('are those of the last day while no worker is warm', async () => {
    await workers.advertiseVersions('a', [{ version: '1' }, { version: '2' }, { version: '3' }]);
    await age('1', 86_300);
    await age('2', 86_500);
    expect(await versions()).toEqual(['1', '3']);
    await beat('loading');
    expect(await versions()).toEqual(['1', '3']);
    await beat('warm');
    expect(await versions()).toEqual(['3']);
  });
});

it('heartbeats fail as unavailable within seconds when the database hangs', {
  tags: ['full'],
  timeout: 20_000,
}, async () => {
  const { db, drop } = await testDatabase();
  const workers = createPostgresWorkerStore(db);
  const outcomes = await db
    .transaction(async (tx) => {
      await tx.query('lock table workers, models in access exclusive mode');
      const beat = workers.recordHeartbeat({ id: 'w', role: 'work', service: 'a', state: 'warm', info: {} });
      return Promise.allSettled([beat, workers.advertiseVersions('a', [{ version: '1' }]), workers.unregister('w')]);
    })
    .finally(drop);
  // The test's timeout is shorter than the server's statement timeout.
  for (const outcome of outcomes) expect(outcome.status === 'rejected' && isUnavailable(outcome.reason)).toBe(true);
});
