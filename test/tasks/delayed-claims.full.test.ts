import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { createLossyProxy } from '../support/lossy-proxy.ts';
import { createFakeModel, type Product, RESULT, startProduct } from '../support/product.ts';

const TASKS = 8;

let product: Product;
afterEach(() => product.stop());

/** A product behind a proxy that can delay claims; the model runs all tasks concurrently. */
async function startBehindProxy({ runMs }: { runMs: number }) {
  const { db, url, drop } = await testDatabase();
  onTestFinished(drop);
  const lossy = await createLossyProxy(url);
  onTestFinished(() => lossy.close());
  product = await startProduct({ env: { DATABASE_URL: lossy.url } });
  let runs = 0;
  const run = async () => {
    runs++;
    await delay(runMs);
    return { result: RESULT };
  };
  return {
    startWorker: () => product.startWorker(createFakeModel({ run, concurrency: TASKS })),
    createTasks: () => Promise.all(Array.from({ length: TASKS }, () => product.predict())),
    delayClaims(ms: number, what: 'answers' | 'requests' = 'answers') {
      if (what === 'answers') lossy.claimResponseDelayMs = ms;
      else lossy.claimRequestDelayMs = ms;
    },
    async expectAllDoneAtFirstAttempt(ids: readonly string[]) {
      for (const id of ids) expect(await product.waitForResult(id)).toMatchObject({ status: 'done' });
      expect(runs).toBe(TASKS);
      const { rows } = await db.query<{ attempts: number }>('select attempts from tasks');
      expect(rows.map(({ attempts }) => attempts)).toEqual(Array(TASKS).fill(1));
    },
  };
}

describe('A worker whose claims are answered late', { timeout: 120_000 }, () => {
  for (const what of ['answers', 'requests'] as const) {
    it(`returns the tasks without counting an attempt when it has abandoned the claims (delayed ${what})`, async () => {
      const setup = await startBehindProxy({ runMs: 100 });
      const ids = await setup.createTasks();
      setup.delayClaims(5500, what);
      await setup.startWorker();
      await delay(22_000);
      setup.delayClaims(0, what);
      await setup.expectAllDoneAtFirstAttempt(ids);
    });
  }

  it('keeps the leases when the responses arrive shortly before it would abandon the claims', async () => {
    const setup = await startBehindProxy({ runMs: 2500 });
    await setup.startWorker();
    await delay(1500); // the lease then expires before the next scheduled renewal
    setup.delayClaims(4600);
    const ids = await setup.createTasks();
    await delay(4000);
    setup.delayClaims(0);
    await setup.expectAllDoneAtFirstAttempt(ids);
  });
});
