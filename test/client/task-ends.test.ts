import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Assay, type AssayOptions, type EventOptions } from '../../src/client/index.ts';
import { withTaskEnds } from '../../src/commands/task-ends.ts';
import { REFERENCE, recordingFetch } from '../support/client.ts';
import { createFakeModel, type Product, startProduct, TOKEN } from '../support/product.ts';

describe('A command that waits for tasks of another server', () => {
  let product: Product;
  beforeAll(async () => {
    product = await startProduct({ model: createFakeModel() });
  });
  afterAll(() => product.stop());
  const { signal } = new AbortController();
  const client = (over: Partial<AssayOptions> = {}) =>
    new Assay({ defectoscopy: { url: product.url, token: TOKEN }, retries: 0, ...over }).defectoscopy;

  it('reads each result once, when its task has ended', async () => {
    const { fetch, requests } = recordingFetch();
    const photos = client({ fetch });
    const done = await withTaskEnds(photos, { polling: 'specification', signal }, (endOf) =>
      Promise.all(
        Array.from({ length: 3 }, async () => {
          const task = await photos.predict(REFERENCE);
          expect(task.estimated_wait_seconds).toBeGreaterThanOrEqual(90);
          return photos.wait(task, { ended: endOf(task.task_id), signal });
        }),
      ),
    );
    expect(done.map(({ status }) => status)).toEqual(['done', 'done', 'done']);
    expect(requests.filter((request) => request.includes('/result/'))).toHaveLength(3);
  });

  it('polls if the server has no events, and stops if the credential is rejected', async () => {
    const withoutEvents: typeof fetch = async (input, init) =>
      String(input).includes('/events')
        ? Response.json({ ok: false, error: { code: 'NOT_FOUND', message: 'Not found.' } }, { status: 404 })
        : fetch(input, init);
    const photos = client({ fetch: withoutEvents });
    const run = withTaskEnds(photos, { polling: 'specification', signal }, async (endOf) => {
      const task = await photos.predict(REFERENCE);
      return photos.wait(task, { ended: endOf(task.task_id), timeoutSeconds: 1 });
    });
    await expect(run).rejects.toMatchObject({ name: 'Timeout' });
    const rejected = new Assay({ defectoscopy: { url: product.url, token: 'wrong' } }).defectoscopy;
    const never = () => Promise.reject(new Error('must not run'));
    await expect(withTaskEnds(rejected, { polling: 'specification', signal }, never)).rejects.toMatchObject({
      status: 401,
    });
  });

  it('returns a task at once that ended before its response arrived', async () => {
    const ids = ['earlier', 'now', 'later'];
    let isAtEnd!: () => void;
    const atEnd = new Promise<void>((resolve) => (isAtEnd = resolve));
    async function* events({ onCursor, follow = true }: EventOptions) {
      onCursor?.('1');
      if (!follow) return;
      for (const task_id of ids) yield { type: 'defectoscopy.result.terminal', task_id };
      isAtEnd();
    }
    const ended = withTaskEnds({ events }, { polling: 'specification', signal }, async (endOf) => {
      const later = endOf('later');
      await atEnd;
      return Promise.all([later, endOf('now'), endOf('earlier')]);
    });
    expect(await ended).toEqual([undefined, undefined, undefined]);
  });

  it('does not follow events on this machine', async () => {
    const events = () => expect.unreachable();
    const ended = await withTaskEnds({ events }, { polling: 'local', signal }, async (endOf) => endOf('task'));
    expect(ended).toBeUndefined();
  });
});
