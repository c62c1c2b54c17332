import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { sleep } from '../../../base/loop.ts';
import type { WindowLimits } from '../../../ml/audio/windows.ts';
import { type Recognizer, RecognizerError, type Window } from '../../../ml/speech/recognizer.ts';
import type { TaskFailure } from '../../../tasks/task.ts';
import { type Checkpoint, transcribe } from './transcribe.ts';

const log = pino({ level: 'silent' });

/** Four windows of 10 s; the third is silent. */
async function* windows(
  _limits: WindowLimits,
  fromSeconds: number,
): AsyncGenerator<Window | { processedUntil: number }> {
  for (const start of [0, 10, 20, 30]) {
    if (start < fromSeconds) continue;
    if (start === 20) yield { processedUntil: 30 };
    else yield { start, end: start + 10, samples: new Float32Array(1) };
  }
}

/** Returns the start of each window as text; `at` can fail or wait. */
function recognizer(
  name: string,
  at: (start: number) => void | Promise<void> = () => {},
): Recognizer & { transcribed: number[] } {
  const transcribed: number[] = [];
  return {
    name,
    model: `${name}-model`,
    windowSeconds: 30,
    transcribed,
    async recognize({ start, end }) {
      transcribed.push(start);
      await at(start);
      return [{ start, end, text: `${name} ${start}` }];
    },
    close: async () => {},
  };
}

const failing = (name: string, failure: RecognizerError, from = 10) =>
  recognizer(name, (start) => {
    if (start >= from) throw failure;
  });

function run(recognizers: readonly Recognizer[], over: Partial<Parameters<typeof transcribe>[0]> = {}) {
  const reports: Checkpoint[] = [];
  const transcribed = transcribe({
    recognizers,
    windows,
    request: {},
    checkpoint: undefined,
    report: (checkpoint) => void reports.push(checkpoint),
    log,
    signal: new AbortController().signal,
    ...over,
  });
  return { reports, transcribed };
}

const failureOf = (transcribed: Promise<unknown>) =>
  transcribed.then(
    () => expect.unreachable(),
    (error: TaskFailure) => error,
  );

describe('transcribe', () => {
  it('processes a recording window by window and reports a checkpoint after each', async () => {
    const { transcribed, reports } = run([recognizer('local')]);
    expect(await transcribed).toMatchObject({
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

  it('returns the windows without recognized speech only if no window has text, also from a checkpoint', async () => {
    const silentAfter = (last: number): Recognizer => {
      const inner = recognizer('local');
      return {
        ...inner,
        recognize: async (window, options) => (window.start > last ? [] : inner.recognize(window, options)),
      };
    };
    const { transcribed, reports } = run([silentAfter(-1)]);
    const unrecognized = [0, 10, 30].map((start) => ({ start, end: start + 10, text: '' }));
    expect((await transcribed).segments).toMatchObject(unrecognized);
    const resumed = run([silentAfter(-1)], { checkpoint: reports[1] });
    expect((await resumed.transcribed).segments).toMatchObject(unrecognized);
    const { segments } = await run([silentAfter(0)]).transcribed;
    expect(segments).toEqual([{ start: 0, end: 10, text: 'local 0' }]);
  });

  it('recognizes as many windows at once as the recognizer allows, and keeps their order', async () => {
    let running = 0;
    let most = 0;
    const slowFirst = recognizer('local', async (start) => {
      most = Math.max(most, ++running);
      await sleep(start === 0 ? 50 : 1);
      running--;
    });
    const { transcribed, reports } = run([{ ...slowFirst, parallel: 2 }]);
    expect((await transcribed).segments.map(({ text }) => text)).toEqual(['local 0', 'local 10', 'local 30']);
    expect(reports.map(({ until }) => until)).toEqual([10, 20, 30, 40]);
    expect(most).toBe(2);
  });

  it('aborts the windows after a failed one', async () => {
    const aborted: number[] = [];
    const failing: Recognizer = {
      ...recognizer('local'),
      parallel: 2,
      recognize: ({ start }, { signal }) =>
        new Promise((_resolve, reject) => {
          if (start === 0) setTimeout(() => reject(new RecognizerError('broken')), 10);
          signal.addEventListener('abort', () => {
            aborted.push(start);
            reject(signal.reason as Error);
          });
        }),
    };
    const other = recognizer('other');
    expect(await run([failing, other]).transcribed).toMatchObject({ service: 'other', until: 40 });
    expect(aborted).toEqual([10]);
  });

  it('continues from a checkpoint of another worker with the same result', async () => {
    const whole = await run([recognizer('local')]).transcribed;
    const { reports } = run([recognizer('local')]);
    await new Promise((resolve) => setTimeout(resolve));
    for (const checkpoint of reports) {
      const second = recognizer('local');
      const { transcribed } = run([second], { checkpoint });
      expect(await transcribed).toEqual(whole);
      expect(second.transcribed).toEqual([0, 10, 30].filter((start) => start >= checkpoint.until));
    }
    expect(reports).toHaveLength(4);
  });

  it('restarts the recording with the next provider when one fails', async () => {
    const local = recognizer('local');
    const { transcribed } = run([failing('remote', new RecognizerError('away', { transient: true })), local]);
    expect(await transcribed).toMatchObject({ service: 'local', segments: [{ text: 'local 0' }, {}, {}] });
    expect(local.transcribed).toEqual([0, 10, 30]);
  });

  it('keeps the provider of the checkpoint unless it fails', async () => {
    const checkpoint = {
      provider: 'second',
      model: 'second-model',
      until: 20,
      segments: [{ start: 0, end: 20, text: 'before' }],
    };
    const first = recognizer('first');
    const { transcribed } = run([first, recognizer('second')], { checkpoint });
    expect(await transcribed).toMatchObject({
      service: 'second',
      segments: [{ text: 'before' }, { text: 'second 30' }],
    });
    expect(first.transcribed).toEqual([]);
    const afterFailure = run([first, failing('second', new RecognizerError('broken'))], { checkpoint });
    expect(await afterFailure.transcribed).toMatchObject({ service: 'first', segments: [{ text: 'first 0' }, {}, {}] });
    const gone = run([recognizer('third')], { checkpoint });
    expect(await gone.transcribed).toMatchObject({ service: 'third', segments: [{ text: 'third 0' }, {}, {}] });
  });

  it('restarts the recording when the provider of the checkpoint has another model', async () => {
    const { reports, transcribed } = run([recognizer('local')]);
    await transcribed;
    const other = { ...recognizer('local'), model: 'other-model' };
    const resumed = run([other], { checkpoint: reports[1] });
    await resumed.transcribed;
    expect(other.transcribed).toEqual([0, 10, 30]);
    expect(resumed.reports[0]).toMatchObject({ provider: 'local', model: 'other-model', until: 10 });
  });

  it('fails after the last provider, transiently if one was unavailable', async () => {
    const unavailable = failing('remote', new RecognizerError('away', { transient: true }));
    const quotaExhausted = failing('remote', new RecognizerError('spent', { why: 'quota' }));
    const broken = failing('local', new RecognizerError('broken'));
    expect(await failureOf(run([unavailable, broken]).transcribed)).toMatchObject({
      code: 'PROVIDER_FAILED',
      transient: true,
    });
    expect(await failureOf(run([broken]).transcribed)).toMatchObject({ code: 'PROVIDER_FAILED', transient: false });
    expect(await failureOf(run([quotaExhausted]).transcribed)).toMatchObject({ code: 'PROVIDER_QUOTA' });
    expect(await failureOf(run([quotaExhausted, broken]).transcribed)).toMatchObject({ code: 'PROVIDER_FAILED' });
  });

  it('reports an unexpected error of a provider as a transient failure', async () => {
    const broken = recognizer('local', () => {
      throw new TypeError('x is not a function');
    });
    expect(await failureOf(run([broken]).transcribed)).toMatchObject({ code: 'PROVIDER_FAILED', transient: true });
  });

  it('fails transiently after the time limit of a window, even if the provider ignores the abort signal', async () => {
    const endless = recognizer('local', () => new Promise<void>(() => {}));
    expect(await failureOf(run([endless], { windowTimeouts: { limitMs: 10, graceMs: 10 } }).transcribed)).toMatchObject(
      {
        code: 'PROVIDER_FAILED',
        transient: true,
      },
    );
  });

  it('stops within a window after cancellation without trying another provider', async () => {
    const stop = new AbortController();
    const other = recognizer('other');
    const cooperative: Recognizer = {
      ...recognizer('local'),
      recognize: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
          stop.abort(new Error('cancelled'));
        }),
    };
    await expect(run([cooperative, other], { signal: stop.signal }).transcribed).rejects.toThrow('cancelled');
    expect(other.transcribed).toEqual([]);
  });

  it('rejects with an error of the recording without trying another provider', async () => {
    const brokenWindows = async function* (): AsyncGenerator<Window> {
      yield { start: 0, end: 10, samples: new Float32Array(1) };
      throw new Error('torn');
    };
    const other = recognizer('other');
    await expect(run([recognizer('local'), other], { windows: brokenWindows }).transcribed).rejects.toThrow('torn');
    expect(other.transcribed).toEqual([]);
  });
});
