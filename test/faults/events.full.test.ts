import { hash } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { sleep } from '../../src/base/loop.ts';
import { Assay } from '../../src/client/index.ts';
import { createPostgresTaskStore } from '../../src/tasks/postgres.ts';
import type { TaskStore } from '../../src/tasks/store.ts';
import { testDatabase } from '../support/database.ts';
import { readEventStream } from '../support/event-stream.ts';
import {
  cleanUp,
  createInstancePlace,
  freePort,
  type Assay as Process,
  signalTo,
  startAssay,
} from '../support/processes/assay.ts';
import { TOKEN } from '../support/processes/client.ts';
import { waitUntil } from '../support/processes/until.ts';

const SECONDS = 24;
const WRITERS = 4;
/** Endings per writer and batch; 200 endings a second in all. */
const BATCH = 10;
const BATCH_INTERVAL_MS = 200;
const GATEWAYS = 2;
const KILL_INTERVAL_MS = 3000;
/** Above the time limit of a client's request (90 s), after which it is repeated. */
const CATCH_UP_MS = 120_000;

const service = 'defectoscopy';
const principal = `token-${hash('sha256', TOKEN, 'hex').slice(0, 12)}`;

afterEach(cleanUp);

it('The event feed has no gap and no duplicate while gateways are killed under 200 endings a second', {
  timeout: 300_000,
}, async () => {
  const database = await testDatabase();
  const tasks = createPostgresTaskStore(database.db);
  const { dataDir } = await createInstancePlace();
  const gateways: Process[] = [];
  const env = { DATABASE_URL: database.url, DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'warn' };
  const ports = await Promise.all(Array.from({ length: GATEWAYS }, freePort));
  const start = (index: number) => {
    gateways[index] = startAssay({ dataDir, port: ports[index]! }, { args: ['serve'], env });
  };
  for (let index = 0; index < GATEWAYS; index++) start(index);
  const isReady = (index: number) =>
    gateways[index]!.call('/livez').then(
      ({ status }) => status === 200,
      () => false,
    );
  await waitUntil(async () => (await isReady(0)) && (await isReady(1)), 60_000);

  const [calm, stop] = [new AbortController(), new AbortController()];
  let killed = 0;
  const faults = (async () => {
    for (let index = 0; !calm.signal.aborted; index = (index + 1) % GATEWAYS) {
      await sleep(KILL_INTERVAL_MS, calm.signal);
      await waitUntil(() => isReady(index), 60_000);
      signalTo(gateways[index]!.pid, 'SIGKILL');
      killed++;
      start(index);
    }
  })();
  const polled = new Map<string, number>();
  const streamed = new Map<string, number>();
  const duplicates: string[] = [];
  const collect = (into: Map<string, number>) => (id: string) => {
    if (into.has(id)) duplicates.push(id);
    into.set(id, into.size);
  };
  const readers = [poll(ports, collect(polled), stop.signal), stream(ports, collect(streamed), stop.signal)];

  const startedMs = performance.now();
  const batches: string[][][] = await Promise.all(
    Array.from({ length: WRITERS }, (_, writer) => endTasks(tasks, `writer-${writer}`)),
  );
  const rate = (batches.flat(2).length / (performance.now() - startedMs)) * 1000;
  const ended = batches.flat(2);
  calm.abort();
  await faults;
  await waitUntil(() => polled.size >= ended.length && streamed.size >= ended.length, CATCH_UP_MS);
  await sleep(2000);
  stop.abort();
  await Promise.all(readers);
  console.log(`${ended.length} endings at ${rate.toFixed(0)} a second; gateways were killed ${killed} times.`);

  expect(killed).toBeGreaterThanOrEqual(4);
  expect(duplicates).toEqual([]);
  expect([...polled.keys()].sort()).toEqual([...ended].sort());
  expect([...streamed.keys()]).toEqual([...polled.keys()]);
  for (const own of batches) {
    const places = own.map((ids) => ids.map((id) => polled.get(id)!));
    for (let i = 1; i < places.length; i++) {
      expect(Math.min(...places[i]!)).toBeGreaterThan(Math.max(...places[i - 1]!));
    }
  }
  tasks.close();
  await cleanUp();
  await database.drop();
});

/** Ends tasks in batches; returns the ids of each. */
async function endTasks(tasks: TaskStore, worker: string): Promise<string[][]> {
  const batches: string[][] = [];
  const want = { service, worker, leaseMs: 60_000 };
  const endMs = performance.now() + SECONDS * 1000;
  while (performance.now() < endMs) {
    const pause = sleep(BATCH_INTERVAL_MS);
    const task = { service, principal, priority: 'realtime', input: {}, estimateSeconds: 1, ttlSeconds: 3600 } as const;
    await Promise.all(Array.from({ length: BATCH }, () => tasks.accept({ ...task, id: newId() })));
    const { claimed } = await tasks.completeAndClaim([], { ...want, limit: BATCH });
    const endings = claimed.map(({ id, attempt }) => ({
      ...{ id, attempt, outcome: 'done' as const, result: {}, processingMs: 1 },
    }));
    const { ended } = await tasks.completeAndClaim(endings, { ...want, limit: 0 });
    if (ended.length > 0) batches.push(ended);
    tasks.hint('finished', ended);
    await pause;
  }
  return batches;
}

/** Follows with the client library; each request goes to the next gateway. */
async function poll(ports: readonly number[], onTask: (id: string) => void, signal: AbortSignal): Promise<void> {
  let next = 0;
  const spread: typeof fetch = (input, init) => {
    const url = new URL(String(input));
    url.port = String(ports[next++ % ports.length]);
    return fetch(url, init);
  };
  const { defectoscopy } = new Assay({
    defectoscopy: { url: `http://127.0.0.1:${ports[0]}`, token: TOKEN },
    fetch: spread,
  });
  try {
    for await (const event of defectoscopy.events({ signal })) onTask(event.task_id);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Follows the stream and reconnects to the next gateway when it ends. */
async function stream(ports: readonly number[], onTask: (id: string) => void, signal: AbortSignal): Promise<void> {
  let lastId: string | undefined;
  for (let next = 0; !signal.aborted; next++) {
    const headers = { authorization: `Bearer ${TOKEN}`, accept: 'text/event-stream' };
    const response = await fetch(`http://127.0.0.1:${ports[next % ports.length]}/events`, {
      headers: { ...headers, ...(lastId !== undefined && { 'last-event-id': lastId }) },
      signal,
    }).catch(() => undefined);
    if (response?.status !== 200) {
      await sleep(100, signal);
      continue;
    }
    const messages = readEventStream(response);
    for (let message = await messages.next(); message !== undefined; message = await messages.next()) {
      if (message.event === 'end') break;
      lastId = message.id;
      onTask(message.data.task_id);
    }
  }
}
