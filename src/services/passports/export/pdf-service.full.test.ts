import { expect, it, onTestFinished } from 'vitest';
import { opened, read } from '../../../../test/support/export/opened.ts';
import type { CompletedDocument } from '../documents.ts';
import { DEFAULT_SCHEMA } from '../schema/default-schema.ts';
import { createPdfService } from './pdf-service.ts';

const LIMITS = { maxConcurrent: 1, maxQueued: 1, timeoutMs: 60_000, heapMiB: 768, idleMs: 60_000 };
const UNAVAILABLE = { code: 'REPORT_UNAVAILABLE', status: 503, headers: { 'retry-after': expect.any(String) } };
const never = new AbortController().signal;
const SHORT = opened({ 'general:address': read('Красная') });
const LONG = withRooms(9999);
/** A report that waits for its page image keeps its permit. */
const HELD = opened({ 'general:address': read('Красная', [0.5, 0.25, 0.7, 0.27]) });

function withRooms(count: number): CompletedDocument {
  const rooms = Array.from({ length: count }, (_, index) => [`rooms:${index + 1}.name`, read(`комната ${index + 1}`)]);
  return opened(Object.fromEntries(rooms));
}

function newPrinter(limits: Partial<typeof LIMITS> = {}) {
  const printer = createPdfService({ ...LIMITS, ...limits });
  onTestFinished(() => printer.close());
  return {
    close: () => printer.close(),
    print: (document: CompletedDocument, signal = never, picture: () => Promise<undefined> = async () => undefined) =>
      printer.createPdf({ opened: document, schema: DEFAULT_SCHEMA, language: 'ru', now: new Date() }, picture, signal),
  };
}

function heldPicture() {
  let open = () => {};
  const opening = new Promise<undefined>((resolve) => {
    open = () => resolve(undefined);
  });
  return { open: () => open(), picture: () => opening };
}

const isPdf = (bytes: Buffer) => bytes.subarray(0, 5).toString() === '%PDF-';

it('prints a long table without blocking the main thread', async () => {
  const { print } = newPrinter();
  let done = false;
  const printing = print(withRooms(3000)).finally(() => {
    done = true;
  });
  let ticks = 0;
  while (!done) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    ticks++;
  }
  expect(isPdf(await printing)).toBe(true);
  expect(ticks).toBeGreaterThan(20);
});

it.each<Partial<typeof LIMITS>>([{ timeoutMs: 300 }, { heapMiB: 64 }])(
  'rejects a report that exceeds the limit %o',
  async (limit) => {
    const { print } = newPrinter(limit);
    await expect(print(LONG)).rejects.toMatchObject(UNAVAILABLE);
    // The next report uses a new thread, which needs longer than 300 ms to load.
    if (limit.timeoutMs === undefined) expect(isPdf(await print(SHORT))).toBe(true);
  },
);

it('prints in order of arrival, and rejects a report if the queue is full', async () => {
  const { print } = newPrinter();
  const { open, picture } = heldPicture();
  const order: string[] = [];
  const first = print(HELD, never, picture).then(() => order.push('first'));
  const second = print(SHORT).then(() => order.push('second'));
  await expect(print(SHORT)).rejects.toMatchObject(UNAVAILABLE);
  open();
  await Promise.all([first, second]);
  expect(order).toEqual(['first', 'second']);
  expect(isPdf(await print(SHORT))).toBe(true);
});

it('aborts a queued and a running report, and prints the next one', async () => {
  const { print } = newPrinter();
  const [waiter, reader] = [new AbortController(), new AbortController()];
  const printing = print(LONG, reader.signal);
  const waiting = print(SHORT, waiter.signal);
  waiter.abort(new Error('the queued client disconnected'));
  await expect(waiting).rejects.toThrow('the queued client disconnected');
  const next = print(SHORT);
  reader.abort(new Error('the served client disconnected'));
  await expect(printing).rejects.toThrow('the served client disconnected');
  expect(isPdf(await next)).toBe(true);
  await expect(print(SHORT, AbortSignal.abort(new Error('disconnected'))).catch((e: Error) => e.message)).resolves.toBe(
    'disconnected',
  );
});

it('prints again after an idle thread has ended', async () => {
  const { print } = newPrinter({ idleMs: 1 });
  for (let time = 0; time < 3; time++) {
    expect(isPdf(await print(SHORT))).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
});

it('aborts running reports when it closes', async () => {
  const { print, close } = newPrinter();
  const printing = print(LONG);
  printing.catch(() => {});
  await close();
  await expect(printing).rejects.toMatchObject({ name: 'AbortError' });
  await expect(print(SHORT)).rejects.toMatchObject({ name: 'AbortError' });
});
