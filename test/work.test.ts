import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Job } from '../src/services/service.ts';
import { TaskFailure } from '../src/tasks/task.ts';
import { fakeModel, type Product, RESULT, startProduct } from './helpers/product.ts';

const DONE = { result: RESULT };
const BUSY = { code: 'IMAGE_FETCH_FAILED', sentence: 'The image could not be downloaded from its storage.' };

describe('a worker', () => {
  let product: Product;
  beforeEach(async () => {
    product = await startProduct();
  });
  afterEach(() => product.stop());

  const attempts = async (id: string) =>
    (await product.database.db.query<{ attempts: number }>('select attempts from tasks where id = $1', [id])).rows[0]
      ?.attempts;

  it('tries again after a transient failure, under the same id, and stays in processing meanwhile', async () => {
    let runs = 0;
    const run = async () => {
      if (++runs === 1) throw new TaskFailure(BUSY, { transient: true });
      return DONE;
    };
    await product.startWorker(fakeModel({ run }));
    const id = await product.predict();
    while (runs < 1) await new Promise((resolve) => setTimeout(resolve, 10));
    expect((await product.call(`/result/${id}`)).body.data.status).toBe('processing');
    expect(await product.finished(id)).toMatchObject({ status: 'done' });
    expect(await attempts(id)).toBe(2);
  });

  it('fails a task at once for a permanent fault of the input', async () => {
    const failure = { code: 'IMAGE_CORRUPT', sentence: 'The image is damaged or incomplete.' };
    const run = async () => {
      throw new TaskFailure(failure);
    };
    await product.startWorker(fakeModel({ run }));
    const id = await product.predict();
    expect(await product.finished(id)).toMatchObject({ error: failure.sentence, error_code: 'IMAGE_CORRUPT' });
    expect(await attempts(id)).toBe(1);
  });

  it('fails a task for an error that the model does not explain, without showing it', async () => {
    const run = async () => {
      throw new Error('secret internals');
    };
    await product.startWorker(fakeModel({ run }));
    const data = await product.finished(await product.predict());
    expect(data).toMatchObject({ status: 'failed', error_code: 'INFERENCE_FAILED' });
    expect(JSON.stringify(data)).not.toContain('secret');
  });

  it('ends an attempt whose time is up', async () => {
    const run = (job: Job) =>
      new Promise<never>((_, reject) => job.signal.addEventListener('abort', () => reject(new Error())));
    await product.startWorker(fakeModel({ run, timeLimitMs: 200 }));
    expect(await product.finished(await product.predict())).toMatchObject({ error_code: 'INFERENCE_TIMEOUT' });
  });

  it('keeps its lease over work much longer than the lease', async () => {
    let runs = 0;
    const run = async () => {
      runs++;
      await new Promise((resolve) => setTimeout(resolve, 9000));
      return DONE;
    };
    await product.startWorker(fakeModel({ run }));
    expect(await product.finished(await product.predict())).toMatchObject({ status: 'done' });
    expect(runs).toBe(1);
  });

  it('stops work that was cancelled', async () => {
    let stopped = false;
    const run = (job: Job) =>
      new Promise<never>((_, reject) =>
        job.signal.addEventListener('abort', () => {
          stopped = true;
          reject(new Error());
        }),
      );
    await product.startWorker(fakeModel({ run }));
    const id = await product.predict();
    await new Promise((resolve) => setTimeout(resolve, 300));
    const cancelled = await product.call(`/result/${id}/cancel`, { method: 'POST' });
    expect(cancelled).toMatchObject({ status: 200, body: { data: { status: 'failed', error_code: 'CANCELLED' } } });
    while (!stopped) await new Promise((resolve) => setTimeout(resolve, 50));
  });

  it('finishes what it has begun when it is told to stop', async () => {
    const run = async () => {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return DONE;
    };
    const stop = await product.startWorker(fakeModel({ run, concurrency: 1 }));
    const first = await product.predict();
    const second = await product.predict();
    await new Promise((resolve) => setTimeout(resolve, 300));
    await stop();
    expect((await product.call(`/result/${first}`)).body.data.status).toBe('done');
    expect((await product.call(`/result/${second}`)).body.data.status).toBe('queued');
  });
});
