import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Db } from '../base/db.ts';
import { newId } from '../base/ids.ts';
import { createHints } from './hints.ts';

const silent = { query: async () => ({ rows: [], rowCount: 0 }), listen: async () => {} } as unknown as Db;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('hints wake every listener once a second by one timer, which stops with the last listener', () => {
  const hints = createHints(silent);
  const stops = Array.from({ length: 3 }, () => new AbortController());
  const wake = vi.fn();
  for (const stop of stops) hints.onHint('finished', () => wake(), stop.signal);
  hints.onHint('finished', () => wake(), AbortSignal.abort());
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(1000);
  expect(wake).toHaveBeenCalledTimes(3);
  for (const stop of stops) stop.abort();
  expect(vi.getTimerCount()).toBe(0);
});

describe('hints of finished tasks', () => {
  beforeEach(() => void vi.useRealTimers());

  /** Hints over a fake database: the payloads sent, the times of the statements, and a function that delivers payloads. */
  function connected() {
    const sent: string[] = [];
    const times: number[] = [];
    let receive: (payload: string) => void = () => {};
    const db = {
      query: async (_: unknown, [payloads]: [string[]]) => {
        times.push(performance.now());
        sent.push(...payloads);
      },
      listen: async (_: string, onHint: typeof receive) => {
        receive = onHint;
      },
    } as unknown as Db;
    return { hints: createHints(db), sent, times, receive: (payload: string) => receive(payload) };
  }

  it('follow each other more slowly after one with many tasks', async () => {
    const { hints, times } = connected();
    hints.hint(
      'finished',
      Array.from({ length: 20 }, () => newId()),
    );
    await expect.poll(() => times, { interval: 1 }).toHaveLength(1);
    hints.hint('finished', ['last']);
    await expect.poll(() => times).toHaveLength(2);
    expect(times[1]! - times[0]!).toBeGreaterThan(15);
  });

  it('list every task, split into payloads that PostgreSQL accepts', async () => {
    const { hints, sent } = connected();
    const ids = Array.from({ length: 1000 }, () => newId());
    // On a busy machine, the batch interval could end between two hints.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    hints.hint('changed:a'); // sent at once; the following ones are batched
    hints.hint('finished', ids.slice(0, 1));
    hints.hint('waiting:a');
    hints.hint('finished', ids.slice(1));
    clock.mockRestore();
    await vi.waitFor(() => expect(sent.at(-1)).toBe('waiting:a'));
    const named = sent.flatMap((payload) => payload.split(' ')).filter((word) => word.length === 26);
    expect(named).toEqual(ids);
    for (const payload of sent) expect(Buffer.byteLength(payload)).toBeLessThan(8000);
    expect(sent).toHaveLength(6);
  });

  it('wake the readers of the listed tasks, or every reader without a list', () => {
    const { hints, receive } = connected();
    const woken: string[] = [];
    const stop = new AbortController();
    for (const topic of ['finished', 'finished:1', 'finished:2', 'waiting:a'] as const) {
      hints.onHint(topic, () => void woken.push(topic), stop.signal);
    }
    const wokenBy = (payload: string) => {
      receive(payload);
      return woken.splice(0);
    };
    expect(wokenBy('finished 2 3')).toEqual(['finished', 'finished:2']);
    expect(wokenBy('waiting:a')).toEqual(['waiting:a']);
    expect(wokenBy('finished')).toEqual(['finished', 'finished:1', 'finished:2']);
    expect(wokenBy('')).toEqual(['finished', 'finished:1', 'finished:2', 'waiting:a']);
    stop.abort();
  });

  it('list no tasks when some ids are unknown', async () => {
    const { hints, sent } = connected();
    hints.hint('changed:a');
    hints.hint('finished', ['1']);
    hints.hint('finished');
    hints.hint('finished', ['2']);
    await vi.waitFor(() => expect(sent).toEqual(['changed:a', 'finished']));
  });
});
