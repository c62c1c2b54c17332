import { expect, it, onTestFinished } from 'vitest';
import type { Opened } from '../documents.ts';
import { DEFAULT_SCHEMA } from '../schema/default-schema.ts';
import { openPrinter, type PrintLimits } from './printer.ts';
import { opened, read } from './testing/opened.ts';

const LIMITS: PrintLimits = { atOnce: 1, waiting: 1, ms: 60_000, heapMiB: 768, idleMs: 60_000 };
const UNAVAILABLE = { code: 'REPORT_UNAVAILABLE', status: 503, headers: { 'retry-after': expect.any(String) } };
const never = new AbortController().signal;
const SHORT = opened({ 'general:address': read('Красная') });
const LONG = withRooms(9999);
/** Fetches no picture before it is told to: who prints this has its turn until then. */
const HELD = opened({ 'general:address': read('Красная', [0.5, 0.25, 0.7, 0.27]) });

function withRooms(count: number): Opened {
  const rooms = Array.from({ length: count }, (_, index) => [`rooms:${index + 1}.name`, read(`комната ${index + 1}`)]);
  return opened(Object.fromEntries(rooms));
}

function newPrinter(limits: Partial<PrintLimits> = {}) {
  const printer = openPrinter({ ...LIMITS, ...limits });
  onTestFinished(() => printer.close());
  return {
    close: () => printer.close(),
    print: (document: Opened, signal = never, picture: () => Promise<undefined> = async () => undefined) =>
      printer.print({ opened: document, schema: DEFAULT_SCHEMA, language: 'ru', now: new Date() }, picture, signal),
  };
}

function gate() {
  let open = () => {};
  const opening = new Promise<undefined>((resolve) => {
    open = () => resolve(undefined);
  });
  return { open: () => open(), picture: () => opening };
}

const isPdf = (bytes: Buffer) => bytes.subarray(0, 5).toString() === '%PDF-';

it('prints a long table while this thread goes on with other things', async () => {
  const { print } = newPrinter();
  let done = false;
  const printing = print(withRooms(3000)).finally(() => {
    done = true;
  });
  let turns = 0;
  while (!done) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    turns++;
  }
  expect(isPdf(await printing)).toBe(true);
  expect(turns).toBeGreaterThan(20);
});

it.each<Partial<PrintLimits>>([{ ms: 300 }, { heapMiB: 64 }])(
  'refuses a report that takes more than %o',
  async (limit) => {
    const { print } = newPrinter(limit);
    await expect(print(LONG)).rejects.toMatchObject(UNAVAILABLE);
    // The next has a thread of its own, which needs longer than 300 ms to load what prints.
    if (limit.ms === undefined) expect(isPdf(await print(SHORT))).toBe(true);
  },
);

it('prints in turn, and refuses whoever comes while as many wait as may', async () => {
  const { print } = newPrinter();
  const { open, picture } = gate();
  const order: string[] = [];
  const first = print(HELD, never, picture).then(() => order.push('first'));
  const second = print(SHORT).then(() => order.push('second'));
  await expect(print(SHORT)).rejects.toMatchObject(UNAVAILABLE);
  open();
  await Promise.all([first, second]);
  expect(order).toEqual(['first', 'second']);
  expect(isPdf(await print(SHORT))).toBe(true);
});

it('gives up for whoever has gone, in the queue and in print, and serves the next', async () => {
  const { print } = newPrinter();
  const [waiter, reader] = [new AbortController(), new AbortController()];
  const printing = print(LONG, reader.signal);
  const waiting = print(SHORT, waiter.signal);
  waiter.abort(new Error('the waiter has gone'));
  await expect(waiting).rejects.toThrow('the waiter has gone');
  const next = print(SHORT);
  reader.abort(new Error('the reader has gone'));
  await expect(printing).rejects.toThrow('the reader has gone');
  expect(isPdf(await next)).toBe(true);
  await expect(print(SHORT, AbortSignal.abort(new Error('nobody'))).catch((e: Error) => e.message)).resolves.toBe(
    'nobody',
  );
});

it('prints on after a thread that nobody needed has been ended', async () => {
  const { print } = newPrinter({ idleMs: 1 });
  for (let time = 0; time < 3; time++) {
    expect(isPdf(await print(SHORT))).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
});

it('ends what it prints when it closes', async () => {
  const { print, close } = newPrinter();
  const printing = print(LONG);
  printing.catch(() => {});
  await close();
  await expect(printing).rejects.toMatchObject({ name: 'AbortError' });
  await expect(print(SHORT)).rejects.toMatchObject({ name: 'AbortError' });
});
