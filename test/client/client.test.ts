import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  Assay,
  type AssayOptions,
  EventsExpired,
  type Photo,
  type PhotoEvent,
  TaskFailed,
  verifyWebhook,
} from '../../src/client/index.ts';
import { createEventStore } from '../../src/tasks/events.ts';
import { createFakeClock, REFERENCE, readExamplePhoto, recordingFetch } from '../support/client.ts';
import { freePort } from '../support/processes/assay.ts';
import { createFakeModel, type Product, RESULT, startProduct, TOKEN } from '../support/product.ts';
import { startReceiver } from '../support/receiver.ts';

describe('Defectoscopy client', () => {
  let product: Product;
  const client = (over: Partial<AssayOptions> = {}, token: string | undefined = TOKEN) =>
    new Assay({ defectoscopy: { url: `${product.url}/`, token }, polling: 'local', ...over }).defectoscopy;
  beforeAll(async () => {
    product = await startProduct({ model: createFakeModel() });
  });
  afterAll(() => product.stop());

  it('uploads a photo, creates a task, waits, and returns the result', async () => {
    const task = await client().predict(await readExamplePhoto(), { priority: 'batch', modelVersion: 'own-2' });
    expect(task).toMatchObject({ status: 'queued', status_url: `/result/${task.task_id}`, estimated_wait_seconds: 90 });
    const states: Photo[] = [];
    const done = await client().wait(task, { onState: (state) => states.push(state) });
    const { model_version: _, ...result } = RESULT;
    expect(done).toMatchObject({ status: 'done', result, completed_at: expect.stringMatching(/^\d{10}$/) });
    expect(states.at(-1)).toEqual(done);
    expect(await client().result(task.task_id)).toEqual(done);
    const photo = Buffer.from(await (await readExamplePhoto()).arrayBuffer());
    expect(photo.equals(await client().photo(task.task_id))).toBe(true);
  });

  it('accepts images as bytes in any form and as a URL', async () => {
    const bytes = new Uint8Array(await (await readExamplePhoto()).arrayBuffer());
    for (const image of [bytes, bytes.buffer, new URL(REFERENCE), REFERENCE]) {
      expect((await client().wait(await client().predict(image))).status).toBe('done');
    }
    expect(await client().upload(bytes)).toMatchObject({ content_type: 'image/jpeg', size_bytes: bytes.length });
  });

  it('requests classes, heatmaps and health', async () => {
    expect(await client().classes()).toEqual({
      defects: ['crack', 'chip'],
      surfaces: ['concrete_wall', 'brick_wall'],
    });
    const { task_id } = await client().wait(await client().predict(REFERENCE));
    expect(await client().models()).toMatchObject({
      default: '1.0.0',
      models: [{ version: '1.0.0' }, { version: 'own-2' }],
    });
    const { version } = await client().corrections(task_id);
    const labels = { surface: 'brick_wall', master: 'mechanical', defects: ['chip'] };
    // The test's profile has no reviewers.
    await expect(client().correct(task_id, labels, { ifVersion: version })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(await client().heatmap(task_id, 'crack')).toEqual({
      ...{ name: 'crack', width: 2, height: 2 },
      values: [0, 0.2, 0.4, 1],
    });
    expect(await client().health()).toMatchObject({ model_loaded: true });
  });

  it('throws error classes with code, status and request id for rejected requests', async () => {
    const requestId = expect.stringMatching(/./);
    const unknown = client().result('01KAF3M9WZ7Y5T2Q8C4N6B1D0E');
    await expect(unknown).rejects.toMatchObject({
      ...{ name: 'TaskNotFound', code: 'TASK_NOT_FOUND', status: 404 },
      requestId,
    });
    const { task_id } = await client().wait(await client().predict(REFERENCE));
    const rejections: [() => Promise<unknown>, string, string][] = [
      [() => client({}, 'wrong').classes(), 'Unauthorized', 'UNAUTHORIZED'],
      [() => client({}, 'wrong').predict(REFERENCE), 'Unauthorized', 'UNAUTHORIZED'],
      [() => client().predict('http://storage-1.example.com/a.jpg'), 'ValidationProblem', 'VALIDATION_ERROR'],
      [() => client().predict(REFERENCE, { modelVersion: 'none' }), 'ValidationProblem', 'VALIDATION_ERROR'],
      [() => client().predict(new Blob(['text'])), 'FileRejected', 'UNSUPPORTED_MEDIA_TYPE'],
      [() => client().cancel(task_id), 'Conflict', 'TASK_ALREADY_FINISHED'],
      [() => client().heatmap(task_id, 'none'), 'ValidationProblem', 'VALIDATION_ERROR'],
      [() => client().result('../metrics'), 'TaskNotFound', 'TASK_NOT_FOUND'],
    ];
    for (const [request, name, code] of rejections) await expect(request()).rejects.toMatchObject({ name, code });
  });

  it('reports an unreachable server and one that is not Assay', async () => {
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    const none = new Assay({ defectoscopy: { url: nowhere }, retries: 0 });
    await expect(none.defectoscopy.classes()).rejects.toMatchObject({
      ...{ name: 'NetworkProblem', status: 0, message: `${nowhere} cannot be reached (ECONNREFUSED).` },
    });
    const elsewhere = new Assay({ defectoscopy: { url: `${product.url}/docs?` } });
    await expect(elsewhere.defectoscopy.health()).rejects.toMatchObject({ code: 'UNEXPECTED_ANSWER' });
    expect(() => none.stt).toThrow('The option stt is missing');
  });

  it('creates one task when the response is lost and the request is repeated', async () => {
    const { requests, fetch } = recordingFetch((path, count) =>
      path === 'POST /predict' && count < 2 ? 'lost' : undefined,
    );
    const clock = createFakeClock();
    const count = async () => Number((await product.database.db.query('select count(*) from tasks')).rows[0]!['count']);
    const before = await count();
    const task = await client({ fetch, clock }).predict(REFERENCE);
    expect(requests).toEqual(['POST /predict', 'POST /predict', 'POST /predict']);
    expect(clock.slept).toEqual([0.5, 1]);
    expect(await count()).toBe(before + 1);
    expect((await client().wait(task)).status).toBe('done');

    const idempotencyKey = 'mine-1';
    const [first, again] = [
      await client().predict(REFERENCE, { idempotencyKey }),
      await client().predict(REFERENCE, { idempotencyKey }),
    ];
    expect(again.task_id).toBe(first.task_id);
    const other = client().predict(REFERENCE, { idempotencyKey, priority: 'batch' });
    await expect(other).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  it('stops after the configured retries and does not repeat requests without an idempotency key', async () => {
    const lost = recordingFetch(() => 'lost');
    const clock = createFakeClock();
    await expect(client({ ...lost, clock, retries: 2 }).predict(REFERENCE)).rejects.toThrow('ECONNRESET');
    expect(lost.requests).toHaveLength(3);
    const { task_id } = await client().wait(await client().predict(REFERENCE));
    lost.requests.length = 0;
    await expect(client({ ...lost, clock }).cancel(task_id)).rejects.toMatchObject({ name: 'NetworkProblem' });
    expect(lost.requests).toHaveLength(1);
  });

  it('aborts every call and every wait with the reason of the signal', async () => {
    const reason = new Error('no longer wanted');
    await expect(client().predict(REFERENCE, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const stop = new AbortController();
    const task = await client().predict(REFERENCE);
    const waiting = client({ polling: 'specification' }).wait(task, stop);
    stop.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    // Its events must not come between those of the next test.
    await client().wait(task);
  });

  it('lists stored events, follows new ones, and continues after the last one', async () => {
    const { task_id } = await client().wait(await client().predict(REFERENCE));
    const stored: PhotoEvent[] = [];
    for await (const event of client().events({ follow: false })) stored.push(event);
    expect(stored.at(-1)).toMatchObject({ task_id, type: 'defectoscopy.result.terminal', status: 'done' });
    expect(new Set(stored.map(({ id }) => id)).size).toBe(stored.length);

    const following = client().events({ after: stored.at(-1)!.id });
    const next = following.next();
    const task = await client().predict(REFERENCE);
    expect((await next).value).toMatchObject({ task_id: task.task_id });
    await following.return();
  });

  it('follows events across lost connections without gaps and duplicates', async () => {
    for (let i = 0; i < 3; i++) await client().wait(await client().predict(REFERENCE));
    const { value: last } = await client().events().next();
    const lost = recordingFetch((_, count) => (count % 2 === 0 ? 'lost' : undefined));
    const clock = createFakeClock();
    const outages: (string | undefined)[] = [];
    const onOutage = (error: Error | undefined) => outages.push(error?.name);
    const following = client({ ...lost, clock }).events({ after: last!.id, onOutage });
    const stored: string[] = [];
    for await (const event of client().events({ after: last!.id, follow: false })) stored.push(event.id);
    for (const id of stored) expect((await following.next()).value!.id).toBe(id);
    const next = following.next();
    const { task_id } = await client().predict(REFERENCE);
    expect((await next).value).toMatchObject({ task_id });
    expect(clock.slept.length).toBeGreaterThan(0);
    expect(outages.slice(0, 2)).toEqual(['NetworkProblem', undefined]);
    await following.return();
  });

  it('follows new events without a gap when the first connection is lost', async () => {
    let waiting = 0;
    const fetchUntilLost: typeof fetch = async (input, init) => {
      if (!String(input).includes('wait=30')) return fetch(input, init);
      const isFirst = waiting++ === 0;
      const response = await fetch(input, init);
      if (isFirst) throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } });
      return response;
    };
    const following = client({ fetch: fetchUntilLost, clock: createFakeClock() }).events({ after: 'latest' });
    const next = following.next();
    await expect.poll(() => waiting).toBe(1);
    const { task_id } = await client().predict(REFERENCE);
    expect((await next).value).toMatchObject({ task_id });
    await following.return();
  });

  it('throws EventsExpired with the earliest cursor, and other errors of a cursor at once', async () => {
    await client().wait(await client().predict(REFERENCE));
    const { value: first } = await client().events().next();
    await client().wait(await client().predict(REFERENCE));
    for await (const _ of client().events({ follow: false }));
    await product.database.db.query('update task_events set expires_at = now()');
    await createEventStore(product.database.db).deleteExpired(new AbortController().signal);
    const error = await client()
      .events({ after: first!.id })
      .next()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(EventsExpired);
    const { task_id } = await client().wait(await client().predict(REFERENCE));
    const { value: next } = await client()
      .events({ after: (error as EventsExpired).earliest })
      .next();
    expect(next).toMatchObject({ task_id });
    await expect(client().events({ after: 'evt_x' }).next()).rejects.toMatchObject({ name: 'ValidationProblem' });
    await expect(client({}, 'wrong').events().next()).rejects.toMatchObject({ name: 'Unauthorized' });
  });

  it('reads the timeline of a task', async () => {
    const { task_id } = await client().predict(REFERENCE);
    await client().wait(task_id);
    const { status, timeline } = await client().timeline(task_id);
    expect([status, timeline[0], timeline.at(-1)]).toMatchObject(['done', { type: 'accepted' }, { type: 'ended' }]);
    await expect(client().timeline('none')).rejects.toMatchObject({ name: 'TaskNotFound' });
  });

  it('verifies callbacks with the public keys of the service', async () => {
    const receiver = await startReceiver();
    const task = await client().predict(REFERENCE, { webhookUrl: receiver.url });
    const [{ body, headers }] = (await receiver.waitForRequests(1)) as [
      Awaited<ReturnType<typeof receiver.waitForRequests>>[number],
    ];
    await receiver.close();
    const event = await verifyWebhook(body, headers, { publicKey: await client().webhookKeys() });
    expect(event).toMatchObject({ event: 'defectoscopy.result.terminal', attempt: 1 });
    expect(event.task).toMatchObject({ task_id: task.task_id, status: 'done' });
    expect(event.deliveryId).toMatch(/^whd_/);
  });
});

describe('Client with polling according to the specification', () => {
  let product: Product;
  const client = (over: Partial<AssayOptions> = {}) =>
    new Assay({ defectoscopy: { url: product.url, token: TOKEN }, ...over }).defectoscopy;
  /** Advances the service's time with the client's clock; cancels the task after `most` pauses. */
  const createAgingClock = (most = Number.POSITIVE_INFINITY) => {
    let task = '';
    const clock = createFakeClock(async (seconds) => {
      await product.backdate(task, seconds);
      if (clock.slept.length === most) await product.call(`/result/${task}/cancel`, { method: 'POST' });
    });
    return {
      clock,
      of(id: string) {
        task = id;
      },
    };
  };
  beforeAll(async () => {
    product = await startProduct();
  });
  afterAll(() => product.stop());

  it('polls first after the estimate, then every 30 to 60 seconds, until the task has finished', async () => {
    const time = createAgingClock(60);
    const fetches = recordingFetch();
    const assay = client({ clock: time.clock, fetch: fetches.fetch });
    const task = await assay.predict(REFERENCE);
    time.of(task.task_id);
    expect(task.estimated_wait_seconds).toBe(300);
    const failed = await assay.wait(task).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(TaskFailed);
    expect(failed).toMatchObject({ code: 'CANCELLED', taskId: task.task_id, state: { status: 'failed' } });
    const [first, ...rest] = time.clock.slept;
    expect(first).toBe(300);
    expect([Math.min(...rest), Math.max(...rest)]).toEqual([30, 60]);
    expect(rest).toHaveLength(59);
    expect(fetches.requests).toHaveLength(1 + 60);
  });

  it('stops at 404 after the retention period', async () => {
    const time = createAgingClock();
    const assay = client({ clock: time.clock });
    const task = await assay.predict(REFERENCE);
    time.of(task.task_id);
    await product.backdate(task.task_id, 90_000);
    await expect(assay.wait(task)).rejects.toMatchObject({ name: 'TaskNotFound' });
  });

  it('resumes a stored task and respects a shorter timeout', async () => {
    const task = await client().predict(REFERENCE);
    const stored = JSON.parse(JSON.stringify(task));
    const clock = createFakeClock();
    const later = client({ clock }).wait(
      { ...stored, accepted_at_ms: stored.accepted_at_ms - 1000_000 },
      { timeoutSeconds: 45 },
    );
    await expect(later).rejects.toMatchObject({ name: 'Timeout' });
    expect(clock.slept).toEqual([45]);
    await client().cancel(task.task_id);
    await expect(client({ polling: 'local' }).wait(task)).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('waits for Retry-After on 429 and 503 and throws after the configured retries', async () => {
    const limited = await startProduct({ env: { DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '2' } });
    const clock = createFakeClock();
    const assay = new Assay({ defectoscopy: { url: limited.url, token: TOKEN }, clock, retries: 2 }).defectoscopy;
    for (let i = 0; i < 2; i++) await assay.predict(REFERENCE);
    const error = await assay.predict(REFERENCE).catch((refused: unknown) => refused);
    await limited.stop();
    expect(error).toMatchObject({ name: 'RateLimited', code: 'RATE_LIMIT_EXCEEDED' });
    expect(clock.slept).toHaveLength(2);
    for (const seconds of clock.slept) expect(seconds).toBeGreaterThan(30);
    expect((error as { retryAfterSeconds: number }).retryAfterSeconds).toBeGreaterThan(30);

    const down = createFakeClock();
    await expect(client({ clock: down, retries: 1 }).classes()).rejects.toMatchObject({
      ...{ name: 'Unavailable', code: 'MODEL_NOT_READY' },
    });
    expect(down.slept).toEqual([5, 5]);
  });
});
