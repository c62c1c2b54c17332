import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Queryable, QueryResult } from '../../../base/db.ts';
import { createLog } from '../../../base/log.ts';
import { openModelDirectory } from '../../../ml/model-directory.ts';
import { SHIPPED_MODELS_DIR } from '../model/registry.ts';
import { createTrainingWorker } from './training-worker.ts';

vi.setConfig({ testTimeout: 60_000 });

/** A database with endless trainings, whose responses the test controls. */
function createDatabase() {
  let claimed = 0;
  const renewed: number[] = [];
  const failStatements: (() => void)[] = [];
  const answer = (rows: object[], rowCount = rows.length) => ({ rows, rowCount }) as QueryResult<never>;
  const db: Queryable & { renew: (id: number) => boolean | Promise<boolean> } = {
    renew: () => true,
    async query(sql, params = []) {
      const name = typeof sql === 'string' ? '' : sql.name;
      if (name === 'training-state') return answer([{ isWaiting: true, newest: null }]);
      if (name === 'renew-training') {
        const id = params[0] as number;
        renewed.push(id);
        return answer([], (await db.renew(id)) ? 1 : 0);
      }
      if (typeof sql === 'string' && sql.includes('returning id, attempts, version')) {
        claimed++;
        return answer([{ id: claimed, attempts: 1, version: `corrected-${claimed}` }]);
      }
      if (typeof sql === 'string' && sql.includes('update defectoscopy_trainings')) return answer([]);
      // The statements of the thread.
      return new Promise((_, reject) => failStatements.push(() => reject(new Error('The connection was lost.'))));
    },
  };
  return { db, renewed, failStatements, claimed: () => claimed };
}

describe('A training worker', () => {
  let dataDir: string;
  let database: ReturnType<typeof createDatabase>;
  let worker: ReturnType<typeof createTrainingWorker>;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'training-'));
    database = createDatabase();
    const models = await openModelDirectory([SHIPPED_MODELS_DIR], () => {});
    models.close();
    const log = createLog('silent', 'test');
    worker = createTrainingWorker({ db: database.db, models, dataDir, shipped: SHIPPED_MODELS_DIR, log });
  });
  afterEach(async () => {
    await worker.close();
    await rm(dataDir, { recursive: true });
  });

  const untilStatements = (count: number) =>
    expect.poll(() => database.failStatements.length, { timeout: 50_000, interval: 20 }).toBe(count);

  it('renews a training after a statement of an earlier one has failed', async () => {
    await worker.refresh();
    await untilStatements(1);
    database.db.renew = (id) => id !== 1;
    await worker.refresh();
    expect(database.claimed()).toBe(2);
    database.failStatements[0]!();
    await untilStatements(2);
    await worker.refresh();
    expect(database.renewed).toEqual([1, 2]);
    expect(database.claimed()).toBe(2);
  });

  it('claims the next training if a statement fails while the lost one is renewed', async () => {
    await worker.refresh();
    await untilStatements(1);
    database.db.renew = async () => {
      database.failStatements[0]!();
      await new Promise((resolve) => setImmediate(resolve));
      return false;
    };
    await worker.refresh();
    expect(database.claimed()).toBe(2);
  });
});
