import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createWorkMetrics } from '../../src/roles/metrics.ts';
import { StuckAttempt, work } from '../../src/roles/work.ts';
import type { Job, Model } from '../../src/services/shared/service.ts';
import { type Failure, TaskFailure } from '../../src/tasks/task.ts';
import { createFakeModel, type Product, RESULT, startProduct } from '../support/product.ts';

const DONE = { result: RESULT };
const TRANSIENT_FAILURE: Failure = { code: 'IMAGE_FETCH_FAILED', message: 'The image could not be downloaded.' };

describe('A worker', () => {
  let product: Product;
  beforeEach(async () => {
    product = await startProduct();
  });
  afterEach(() => product.stop());

  const attempts = async (id: string) =>
    (await product.database.db.query<{ attempts: number }>('select attempts from tasks where id = $1', [id])).rows[0]
      ?.attempts;

  /** A worker outside the product with the given dependencies. */
  const startWorker = (model: Model, over: Partial<Parameters<typeof work>[0]> = {}) => {
    const { tasks, workers, log } = product.context;
    const stop = new AbortController();
    const registry = new Registry();
    const working = work({
      ...{ id: 'other', service: 'defectoscopy', tasks, workers, log, signal: stop.signal },
      load: async () => model,
      maxAttempts: 3,
      workMetrics: createWorkMetrics('defectoscopy', registry),
      metrics: async () => [],
      ...over,
    });
    const ended = working.then(
      () => undefined,
      (error: unknown) => error,
    );
    return {
      registry,
      ended,
      stop: async () => {
        stop.abort();
        await working;
      },
    };
  };

  it('runs a task alone after a lost attempt, while other tasks keep arriving', { tags: ['full'] }, async () => {
    const running = new Set<string>();
    const concurrent: string[][] = [];
    let lost: string;
    const run = async ({ id }: Job) => {
      running.add(id);
      if (running.has(lost)) concurrent.push([...running].filter((other) => other !== lost));
      await new Promise((resolve) => setTimeout(resolve, 50 + Math.random() * 50));
      running.delete(id);
      return DONE;
    };
    let coming = true;
    const predictOn = async () => {
      while (coming) await product.predict();
    };
    lost = await product.predict();
    const { db } = product.database;
    // As the sweep leaves a task with an expired lease, but not to be claimed yet.
    await db.query(`update tasks set returned = 'lost', attempts = 1, run_at = now() + interval '1 hour'`);
    const clients = [predictOn(), predictOn(), predictOn()];
    await product.startWorker(createFakeModel({ run, concurrency: 4 }));
    await vi.waitFor(() => expect(running.size).toBe(4), { timeout: 20_000 });
    await db.query(`update tasks set run_at = now() where id = $1`, [lost]);
    expect(await product.waitForResult(lost)).toMatchObject({ status: 'done' });
    coming = false;
    await Promise.all(clients);
    expect(concurrent).toEqual([[]]);
    expect(await attempts(lost)).toBe(2);
  });

  it('retries after a transient failure with the same id and the status processing', async () => {
    let runs = 0;
    const run = async () => {
      if (++runs === 1) throw new TaskFailure(TRANSIENT_FAILURE, { transient: true });
      return DONE;
    };
    await product.startWorker(createFakeModel({ run }));
    const id = await product.predict();
    while (runs < 1) await new Promise((resolve) => setTimeout(resolve, 10));
    expect((await product.call(`/result/${id}`)).body.data.status).toBe('processing');
    expect(await product.waitForResult(id)).toMatchObject({ status: 'done' });
    expect(await attempts(id)).toBe(2);
  });

  it('fails a task immediately on a permanent input error', async () => {
    const failure: Failure = { code: 'IMAGE_CORRUPT', message: 'The image is damaged or incomplete.' };
    const run = async () => {
      throw new TaskFailure(failure);
    };
    await product.startWorker(createFakeModel({ run }));
    const id = await product.predict();
    expect(await product.waitForResult(id)).toMatchObject({ error: failure.message, error_code: 'IMAGE_CORRUPT' });
    expect(await attempts(id)).toBe(1);
  });

  it('fails a task on an unexpected error without showing the error', async () => {
    const run = async () => {
      throw new Error('secret internals');
    };
    await product.startWorker(createFakeModel({ run }));
    const data = await product.waitForResult(await product.predict());
    expect(data).toMatchObject({ status: 'failed', error_code: 'INFERENCE_FAILED' });
    expect(JSON.stringify(data)).not.toContain('secret');
  });

  it('aborts an attempt at its time limit', async () => {
    const run = (job: Job) =>
      new Promise<never>((_, reject) => job.signal.addEventListener('abort', () => reject(new Error())));
    await product.startWorker(createFakeModel({ run, timeLimitMs: 200 }));
    expect(await product.waitForResult(await product.predict())).toMatchObject({ error_code: 'INFERENCE_TIMEOUT' });
  });

  it('renews its lease during a task much longer than the lease', { tags: ['full'] }, async () => {
    let runs = 0;
    const run = async () => {
      runs++;
      await new Promise((resolve) => setTimeout(resolve, 9000));
      return DONE;
    };
    await product.startWorker(createFakeModel({ run }));
    expect(await product.waitForResult(await product.predict())).toMatchObject({ status: 'done' });
    expect(runs).toBe(1);
  });

  it('aborts a cancelled task', async () => {
    let stopped = false;
    const run = (job: Job) =>
      new Promise<never>((_, reject) =>
        job.signal.addEventListener('abort', () => {
          stopped = true;
          reject(new Error());
        }),
      );
    await product.startWorker(createFakeModel({ run }));
    const id = await product.predict();
    await new Promise((resolve) => setTimeout(resolve, 300));
    const cancelled = await product.call(`/result/${id}/cancel`, { method: 'POST' });
    expect(cancelled).toMatchObject({ status: 200, body: { data: { status: 'failed', error_code: 'CANCELLED' } } });
    await vi.waitFor(() => expect(stopped).toBe(true), 10_000);
  });

  it('exits on an attempt that does not stop, without costing concurrent tasks an attempt', {
    tags: ['full'],
  }, async () => {
    const poisoned = ({ input }: Job) => JSON.stringify(input).includes('poison');
    const busy: string[] = [];
    const run = (job: Job) => {
      busy.push(job.id);
      return new Promise<never>((_, reject) => {
        // Waiting attempts react to the signal; a running one in native code does not.
        if (!poisoned(job) && busy.length < 3) job.signal.addEventListener('abort', () => reject(new Error()));
      });
    };
    const { ended } = startWorker(createFakeModel({ run, concurrency: 3, timeLimitMs: 1500 }), { stuckMs: 2500 });
    const poison = await product.predict({ image_url: 'https://storage-1.example.com/poison.jpg' });
    await vi.waitFor(() => expect(busy).toHaveLength(1), 5000);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const others = [await product.predict(), await product.predict()];
    expect(await ended).toBeInstanceOf(StuckAttempt);
    expect(busy.filter((id) => id === others[0]).length).toBeGreaterThan(1);
    await product.startWorker(createFakeModel());
    for (const id of others) {
      expect(await product.waitForResult(id)).toMatchObject({ status: 'done' });
      expect(await attempts(id)).toBe(1);
    }
    expect(await product.waitForResult(poison)).toMatchObject({ error_code: 'INFERENCE_TIMEOUT' });
  });

  it('renews its leases while its heartbeat hangs', { tags: ['full'] }, async () => {
    const { tasks, workers } = product.context;
    let heartbeats = 0;
    let renewals = 0;
    const other = startWorker(
      createFakeModel({ run: () => new Promise((resolve) => setTimeout(resolve, 6000, DONE)) }),
      {
        workers: {
          ...workers,
          recordHeartbeat: (beat) => (++heartbeats > 2 ? new Promise(() => {}) : workers.recordHeartbeat(beat)),
        },
        tasks: {
          ...tasks,
          renew: (...of) => {
            renewals++;
            return tasks.renew(...of);
          },
        },
      },
    );
    await product.predict();
    await vi.waitFor(() => expect(renewals).toBeGreaterThan(1), { timeout: 9000, interval: 100 });
    expect(heartbeats).toBe(3);
    await other.stop();
  });

  it('counts a task as done only when its result was recorded', async () => {
    const finish: (() => void)[] = [];
    const run = () => new Promise<typeof DONE>((resolve) => finish.push(() => resolve(DONE)));
    const other = startWorker(createFakeModel({ run }));
    const [recorded, cancelledTask] = [await product.predict(), await product.predict()];
    await vi.waitFor(() => expect(finish).toHaveLength(2), 5000);
    await product.call(`/result/${cancelledTask}/cancel`, { method: 'POST' });
    for (const each of finish) each();
    expect(await product.waitForResult(recorded)).toMatchObject({ status: 'done' });
    const attempts = (outcome: string) => `assay_task_attempts_total{service="defectoscopy",outcome="${outcome}"} 1`;
    await vi.waitFor(async () => expect(await other.registry.metrics()).toContain(attempts('cancelled')), 5000);
    await other.stop();
    const metrics = await other.registry.metrics();
    expect(metrics).toContain('assay_tasks_total{service="defectoscopy",status="done"} 1');
    expect(metrics).toContain(attempts('done'));
    expect(metrics).not.toContain('outcome="lost"');
  });

  it('keeps the lease of a completed task until the store accepts the result', { tags: ['full'] }, async () => {
    const { tasks } = product.context;
    let isUnavailable = true;
    const advance: typeof tasks.completeAndClaim = (endings, want) =>
      isUnavailable && endings.length > 0 ? Promise.reject(new Error('away')) : tasks.completeAndClaim(endings, want);
    let ran = 0;
    const run = async () => {
      ran++;
      return DONE;
    };
    const other = startWorker(createFakeModel({ run }), { tasks: { ...tasks, completeAndClaim: advance } });
    const id = await product.predict();
    await vi.waitFor(() => expect(ran).toBe(1), 5000);
    const { db } = product.database;
    await db.query(`update tasks set leased_until = now() + interval '4 s' where id = $1`, [id]);
    const countExtended = async () =>
      (await db.query(`select from tasks where id = $1 and leased_until > now() + interval '5 s'`, [id])).rowCount;
    await vi.waitFor(async () => expect(await countExtended()).toBe(1), { timeout: 10_000, interval: 50 });
    isUnavailable = false;
    expect(await product.waitForResult(id)).toMatchObject({ status: 'done' });
    expect([ran, await attempts(id)]).toEqual([1, 1]);
    await other.stop();
  });

  it('reports results immediately while it waits for other tasks before it stops', { tags: ['full'] }, async () => {
    const finish = new Map<string, () => void>();
    const run = ({ id }: Job) => new Promise<typeof DONE>((resolve) => finish.set(id, () => resolve(DONE)));
    const stop = await product.startWorker(createFakeModel({ run }));
    const [short, long] = [await product.predict(), await product.predict()];
    await vi.waitFor(() => expect(finish.size).toBe(2), 5000);
    const stopped = stop();
    finish.get(short)!();
    expect(await product.waitForResult(short)).toMatchObject({ status: 'done' });
    expect((await product.call(`/result/${long}`)).body.data.status).toBe('processing');
    finish.get(long)!();
    await stopped;
    expect((await product.call(`/result/${long}`)).body.data.status).toBe('done');
  });

  it('finishes running tasks when it is stopped', async () => {
    const run = async () => {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return DONE;
    };
    const stop = await product.startWorker(createFakeModel({ run, concurrency: 1 }));
    const first = await product.predict();
    const second = await product.predict();
    await new Promise((resolve) => setTimeout(resolve, 300));
    await stop();
    expect((await product.call(`/result/${first}`)).body.data.status).toBe('done');
    expect((await product.call(`/result/${second}`)).body.data.status).toBe('queued');
  });
});
