import { afterEach, expect, it, onTestFinished } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { startTcpProxy } from '../support/processes/tcp-proxy.ts';
import { waitUntil } from '../support/processes/until.ts';
import { createFakeModel, type Product, RESULT, startProduct } from '../support/product.ts';

let product: Product;
afterEach(() => product.stop());

for (const way of ['cut', 'hang'] as const) {
  it(`A database outage longer than a lease does not cost a task of a living worker an attempt (${way})`, {
    timeout: 60_000,
  }, async () => {
    const { db, url, drop } = await testDatabase();
    onTestFinished(drop);
    const { hostname: host, port } = new URL(url);
    const relay = await startTcpProxy({ host, port: Number(port) });
    onTestFinished(() => relay.close());
    product = await startProduct({ env: { DATABASE_URL: relay.proxiedUrl(url) } });
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    await product.startWorker(createFakeModel({ run: () => finished.then(() => ({ result: RESULT })) }));
    const id = await product.predict();
    const readTask = async (what: string) =>
      (await db.query<{ is: boolean }>(`select ${what} as is from tasks where id = $1`, [id])).rows[0]!.is;
    await waitUntil(() => readTask('worker is not null'));
    // The first sweep of a process grants no grace: a renewed lease is older than it.
    const { rows } = await db.query<{ lease: string }>('select leased_until::text as lease from tasks where id = $1', [
      id,
    ]);
    await waitUntil(() => readTask(`leased_until > '${rows[0]!.lease}'`));

    await relay[way]();
    await waitUntil(() => readTask('leased_until < now()'));
    await relay.restore();
    await waitUntil(() => readTask('worker is null or leased_until > now()'));
    finish();
    expect(await product.waitForResult(id)).toMatchObject({ status: 'done' });
    expect(await readTask('attempts = 1')).toBe(true);
  });
}
