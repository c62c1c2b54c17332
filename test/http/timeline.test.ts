import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { step } from '../../src/base/trace.ts';
import { TaskFailure } from '../../src/tasks/task.ts';
import { createFakeModel, type Product, RESULT, startProduct, TOKEN } from '../support/product.ts';
import { startReceiver } from '../support/receiver.ts';

const OTHER = 'other-token';

describe('GET /result/{task_id}/timeline', () => {
  let product: Product;
  beforeAll(async () => {
    product = await startProduct({
      env: {
        DEFECTOSCOPY_API_TOKENS: `${TOKEN},${OTHER}`,
        TASK_VISIBILITY: 'token',
        WEBHOOK_RETRY_SCHEDULE: '0,0',
      },
      model: createFakeModel({
        run: ({ attempt }) =>
          step('infer', async () => {
            if (attempt > 1) return { result: RESULT };
            throw new TaskFailure({ code: 'IMAGE_HOST_TIMEOUT', message: '' }, { transient: true });
          }),
      }),
    });
  });
  afterAll(() => product.stop());

  it('lists attempts, steps, retries, the end and delivery attempts without OpenTelemetry', async () => {
    const receiver = await startReceiver((n) => (n === 0 ? 500 : 204));
    onTestFinished(() => receiver.close());
    const id = await product.predict({ webhook_url: receiver.url });
    const read = async () => (await product.call(`/result/${id}/timeline`)).body;
    const deliveries = async () =>
      (await read()).data.timeline.filter(({ type }: { type: string }) => type === 'delivery').length;
    await expect.poll(deliveries, { timeout: 20_000 }).toBe(2);
    const { ok, data } = await read();
    expect([ok, data.task_id, data.status]).toEqual([true, id, 'done']);
    const entry = (type: string, more = {}) => ({
      ...{ type, at: expect.stringMatching(/^\d{10}$/), offset_ms: expect.any(Number), ...more },
    });
    const claimed = (attempt: number) => entry('claimed', { attempt, worker: expect.stringMatching(/^test-\w+$/) });
    const infer = (attempt: number) => entry('step', { attempt, step: 'infer', duration_ms: expect.any(Number) });
    const delivered = (attempt: number, more: object) =>
      entry('delivery', { attempt, duration_ms: expect.any(Number), ...more });
    expect(data.timeline).toEqual([
      entry('accepted', { offset_ms: 0 }),
      entry('queued', { offset_ms: 0 }),
      claimed(1),
      infer(1),
      entry('retry', { attempt: 1, reason: 'IMAGE_HOST_TIMEOUT', delay_ms: 2000 }),
      claimed(2),
      infer(2),
      entry('ended', { status: 'done' }),
      delivered(1, { response_status_code: 500, error: 'http_status' }),
      delivered(2, { response_status_code: 204 }),
    ]);
  });

  it('returns 404 for unknown tasks and those of other clients, and 401 without a token', async () => {
    const id = await product.predict();
    const path = `/result/${id}/timeline`;
    expect((await product.call(path)).status).toBe(200);
    expect((await product.call(path, { token: OTHER })).body.error.code).toBe('TASK_NOT_FOUND');
    expect((await product.call(path, { token: null })).status).toBe(401);
    for (const bad of ['none', 'a%00b', "'", 'a'.repeat(65)]) {
      expect((await product.call(`/result/${bad}/timeline`)).body.error.code).toBe('TASK_NOT_FOUND');
    }
  });
});
