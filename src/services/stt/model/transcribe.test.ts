import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { type Recognizer, RecognizerFailed, type Window } from '../../../ml/speech/recognizer.ts';
import type { TaskFailure } from '../../../tasks/task.ts';
import type { Checkpoint } from '../result.ts';
import { transcribe } from './transcribe.ts';

const log = pino({ level: 'silent' });

/** A recording of four windows, ten seconds each, the third of them silent. */
async function* windows(_maxSeconds: number, fromSeconds: number): AsyncGenerator<Window | { heardUntil: number }> {
  for (const start of [0, 10, 20, 30]) {
    if (start < fromSeconds) continue;
    if (start === 20) yield { heardUntil: 30 };
    else yield { start, end: start + 10, samples: new Float32Array(1) };
  }
}

/** Says where each window begins; `at` may do something else for one of them. */
function recognizer(
  name: string,
  at: (start: number) => void | Promise<void> = () => {},
): Recognizer & { heard: number[] } {
  const heard: number[] = [];
  return {
    name,
    model: `${name}-model`,
    windowSeconds: 30,
    heard,
    async recognize({ start, end }) {
      heard.push(start);
      await at(start);
      return [{ start, end, text: `${name} ${start}` }];
    },
    close: async () => {},
  };
}

const failing = (name: string, failure: RecognizerFailed, from = 10) =>
  recognizer(name, (start) => {
    if (start >= from) throw failure;
  });

function run(recognizers: readonly Recognizer[], over: Partial<Parameters<typeof transcribe>[0]> = {}) {
  const reports: Checkpoint[] = [];
  const heard = transcribe({
    recognizers,
    windows,
    language: undefined,
    checkpoint: undefined,
    report: (checkpoint) => void reports.push(checkpoint),
    log,
    signal: new AbortController().signal,
    ...over,
  });
  return { reports, heard };
}

const failureOf = (heard: Promise<unknown>) =>
  heard.then(
    () => expect.unreachable(),
    (error: TaskFailure) => error,
  );

describe('a recording', () => {
  it('is heard window by window, and how far it is gets told after each', async () => {
    const { heard, reports } = run([recognizer('local')]);
    expect(await heard).toMatchObject({
      service: 'local',
      until: 40,
      segments: [{ text: 'local 0' }, { text: 'local 10' }, { text: 'local 30' }],
    });
    expect(reports.map(({ until, segments }) => [until, segments.length])).toEqual([
      [10, 1],
      [20, 2],
      [30, 2],
      [40, 3],
    ]);
  });

  it('that another worker has begun is gone on with where that one was, and gives the same text', async () => {
    const whole = await run([recognizer('local')]).heard;
    const { reports } = run([recognizer('local')]);
    await new Promise((resolve) => setTimeout(resolve));
    for (const checkpoint of reports) {
      const second = recognizer('local');
      const { heard } = run([second], { checkpoint });
      expect(await heard).toEqual(whole);
      expect(second.heard).toEqual([0, 10, 30].filter((start) => start >= checkpoint.until));
    }
    expect(reports).toHaveLength(4);
  });

  it('goes to the next provider from its beginning when one fails', async () => {
    const local = recognizer('local');
    const { heard } = run([failing('remote', new RecognizerFailed('away', { transient: true })), local]);
    expect(await heard).toMatchObject({ service: 'local', segments: [{ text: 'local 0' }, {}, {}] });
    expect(local.heard).toEqual([0, 10, 30]);
  });

  it('stays with the provider that its checkpoint names, unless that one fails now', async () => {
    const checkpoint = { provider: 'second', until: 20, segments: [{ start: 0, end: 20, text: 'before' }] };
    const first = recognizer('first');
    const { heard } = run([first, recognizer('second')], { checkpoint });
    expect(await heard).toMatchObject({ service: 'second', segments: [{ text: 'before' }, { text: 'second 30' }] });
    expect(first.heard).toEqual([]);
    const again = run([first, failing('second', new RecognizerFailed('broken'))], { checkpoint });
    expect(await again.heard).toMatchObject({ service: 'first', segments: [{ text: 'first 0' }, {}, {}] });
    const gone = run([recognizer('third')], { checkpoint });
    expect(await gone.heard).toMatchObject({ service: 'third', segments: [{ text: 'third 0' }, {}, {}] });
  });

  it('fails when no provider is left, and may be tried again if one was only away', async () => {
    const away = failing('remote', new RecognizerFailed('away', { transient: true }));
    const spent = failing('remote', new RecognizerFailed('spent', { why: 'quota' }));
    const broken = failing('local', new RecognizerFailed('broken'));
    expect(await failureOf(run([away, broken]).heard)).toMatchObject({ code: 'PROVIDER_FAILED', transient: true });
    expect(await failureOf(run([broken]).heard)).toMatchObject({ code: 'PROVIDER_FAILED', transient: false });
    expect(await failureOf(run([spent]).heard)).toMatchObject({ code: 'PROVIDER_QUOTA' });
    expect(await failureOf(run([spent, broken]).heard)).toMatchObject({ code: 'PROVIDER_FAILED' });
  });

  it('whose engine breaks in a way of its own fails as the engine’s, to be tried again', async () => {
    const broken = recognizer('local', () => {
      throw new TypeError('x is not a function');
    });
    expect(await failureOf(run([broken]).heard)).toMatchObject({ code: 'PROVIDER_FAILED', transient: true });
  });

  it('whose window never ends fails, though its engine does not listen', async () => {
    const endless = recognizer('local', () => new Promise<void>(() => {}));
    expect(await failureOf(run([endless], { patience: { limitMs: 10, leaveMs: 10 } }).heard)).toMatchObject({
      code: 'PROVIDER_FAILED',
    });
  });

  it('that is given up is left within its window, and nobody else is asked', async () => {
    const stop = new AbortController();
    const other = recognizer('other');
    const obedient: Recognizer = {
      ...recognizer('local'),
      recognize: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
          stop.abort(new Error('cancelled'));
        }),
    };
    await expect(run([obedient, other], { signal: stop.signal }).heard).rejects.toThrow('cancelled');
    expect(other.heard).toEqual([]);
  });

  it('that is broken itself is no provider’s failure', async () => {
    const torn = async function* (): AsyncGenerator<Window> {
      yield { start: 0, end: 10, samples: new Float32Array(1) };
      throw new Error('torn');
    };
    const other = recognizer('other');
    await expect(run([recognizer('local'), other], { windows: torn }).heard).rejects.toThrow('torn');
    expect(other.heard).toEqual([]);
  });
});
