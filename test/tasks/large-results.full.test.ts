import { Agent, get } from 'node:http';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { testDatabase } from '../support/database.ts';
import { cleanUp, createInstancePlace, startAssay } from '../support/processes/assay.ts';
import { TOKEN } from '../support/processes/client.ts';
import { measureCost } from '../support/processes/cost.ts';
import { waitUntil } from '../support/processes/until.ts';

vi.setConfig({ testTimeout: 180_000 });
afterEach(cleanUp);

const POLLS = 300;
/** 1100 and 1400 MiB were measured without limits on a batch. The rest is mostly uncollected garbage. */
const MOST_MEBIBYTES = 300;

/** Each result has 2.2 MB, like a transcript of four hours. */
async function startWithResults(tasks: number) {
  const { db, url, drop } = await testDatabase();
  onTestFinished(drop);
  const gateway = startAssay(await createInstancePlace(), {
    args: ['serve'],
    env: { DATABASE_URL: url, DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0' },
  });
  await waitUntil(() => gateway.call('/health').then(Boolean, () => false), 60_000);
  const words = Array.from({ length: 25_000 }, (_, n) => ({
    ...{ word: `слово-${n * 7919}`, start: n / 7, end: n / 7 + 0.1, conf: 0.9 },
  }));
  const result = JSON.stringify({ words, model_version: '1' });
  const ids = Array.from({ length: tasks }, () => newId());
  await db.query(
    `insert into tasks (id, service, principal, status, input, estimate_seconds, deadline_at, finished_at,
                        processing_ms, result)
     select id, 'defectoscopy', 'p', 'done', '{}', 1, now() + interval '1 hour', now(), 1, $2::json
       from unnest($1::text[]) as id`,
    [ids, result],
  );
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
  onTestFinished(() => agent.destroy());
  /** The size of one response; the bytes are discarded on arrival. */
  const poll = (id: string) =>
    new Promise<number>((resolve, reject) => {
      const headers = { authorization: `Bearer ${TOKEN}` };
      get(`${gateway.url}/result/${id}`, { agent, headers }, (response) => {
        let bytes = 0;
        response.on('data', (piece: Buffer) => {
          bytes += piece.length;
        });
        response.on('end', () =>
          response.statusCode === 200 ? resolve(bytes) : reject(new Error(`answered ${response.statusCode}`)),
        );
        response.on('error', reject);
      }).on('error', reject);
    });
  return { pid: gateway.pid, ids, resultBytes: Buffer.byteLength(result), poll };
}

describe('300 concurrent polls of 2.2 MB results', () => {
  for (const [what, tasks] of [
    ['the same result', 1],
    ['a hundred results', 100],
  ] as const) {
    it(`need bounded memory when they read ${what}`, async () => {
      const { pid, ids, resultBytes, poll } = await startWithResults(tasks);
      await poll(ids[0]!);
      let sizes: number[] = [];
      const cost = await measureCost([pid], async () => {
        sizes = await Promise.all(Array.from({ length: POLLS }, (_, n) => poll(ids[n % tasks]!)));
      });
      for (const size of sizes) expect(size).toBeGreaterThan(resultBytes);
      if (cost) expect(cost.memoryMib).toBeLessThan(MOST_MEBIBYTES);
    });
  }
});
