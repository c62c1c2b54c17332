import { type Api, abortable, Refusal } from './api.ts';

/** A wait that nobody chose: `refusal` says why (status 0: the service cannot be reached), `seconds` how long. */
export type OnHitch = (hitch: { refusal: Refusal; seconds: number } | undefined) => void;

/**
 * Tries until it is answered: 429 and 503 are waited out for as long as `Retry-After` says, a lost connection with
 * growing pauses. Any other refusal is an answer, and is thrown.
 */
export async function patiently<T>(run: () => Promise<T>, onHitch: OnHitch, signal: AbortSignal): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      const result = await run();
      onHitch(undefined);
      return result;
    } catch (error) {
      if (!(error instanceof Refusal) || ![0, 429, 503].includes(error.status)) throw error;
      for (let left = error.retryAfterSeconds ?? Math.min(10, 2 ** failures); left > 0; left--) {
        onHitch({ refusal: error, seconds: left });
        await pause(1000, signal);
      }
    }
  }
}

export interface Progress {
  readonly status: 'queued' | 'processing' | 'done' | 'failed';
  /** 0..1, where the service tells it. */
  readonly progress?: number;
}

/**
 * Reads a task until it has ended, and tells each state once. The service holds an answer until the task ends
 * (`Prefer: wait`), so this is no hammering; only while a task is queued are the waits short at first, because the step
 * to "processing" ends no wait. `longestWaitSeconds` is for who wants to see progress, which ends no wait either.
 */
export async function follow<State extends Progress>(
  api: Api,
  path: string,
  on: { state: (state: State) => void; hitch: OnHitch },
  signal: AbortSignal,
  longestWaitSeconds = 10,
): Promise<State> {
  const began = performance.now();
  let seen: Pick<Progress, 'status' | 'progress'> | undefined;
  for (let waitSeconds = 0; ; ) {
    const headers = waitSeconds > 0 ? { prefer: `wait=${waitSeconds}` } : {};
    const state = await patiently(() => api.call<State>(path, { headers, signal }), on.hitch, signal);
    if (state.status !== seen?.status || state.progress !== seen.progress) on.state(state);
    seen = state;
    if (state.status === 'done' || state.status === 'failed') return state;
    const age = (performance.now() - began) / 1000;
    const wait = state.status === 'processing' ? 10 : Math.min(10, 1 + Math.floor(age / 4));
    waitSeconds = Math.min(wait, longestWaitSeconds);
    // Where a proxy or an old server passes the preference over, the answer comes at once: never ask without a breath.
    if (age < 1) await pause(120, signal);
    else await pause(300, signal);
  }
}

export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  abortable(new Promise((resolve) => setTimeout(resolve, ms)), signal);
