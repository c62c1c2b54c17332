import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RequestError } from '../../../ui/browser/requests.ts';
import type { RecordedSegment } from '../result.ts';
import { createCorrectionSaver, type SaveState } from './correction-saver.ts';

const segment = (start: number, text: string) => ({ start, end: start + 1, text });
const [a, b, c] = [segment(0, 'a'), segment(1, 'b'), segment(2, 'c')];

/** A page that shows `page`, and a server that stores `stored`. */
function createPage() {
  const state = {
    page: [a, c] as readonly RecordedSegment[],
    stored: [a, c] as readonly RecordedSegment[],
    version: 0,
    requests: 0,
    /** Thrown by each request. */
    failure: undefined as RequestError | undefined,
    /** The next change is stored, but its response is lost. */
    losesResponse: false,
    save: undefined as SaveState | undefined,
  };
  async function call(_: string, { json, headers }: { json?: unknown; headers?: Record<string, string> } = {}) {
    state.requests++;
    if (state.failure) throw state.failure;
    if (json === undefined) return { segments: state.stored, correction: { version: state.version } };
    if (headers!['if-match'] !== `"${state.version}"`) throw new RequestError(412, '');
    state.stored = (json as { segments: readonly RecordedSegment[] }).segments;
    state.version++;
    if (state.losesResponse) {
      state.losesResponse = false;
      throw new RequestError(0, '');
    }
    return { version: state.version };
  }
  const saver = createCorrectionSaver({
    ...{ api: { call } as never, taskId: 'task', segments: state.page },
    current: () => state.page,
    onMerge(segments) {
      state.page = segments;
    },
    onState(latest) {
      state.save = latest;
    },
  });
  return { state, saver };
}

describe('The saver of corrections', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('repeats failed saves with one timer', async () => {
    const { state, saver } = createPage();
    state.failure = new RequestError(0, '');
    for (let i = 0; i < 3; i++) await saver.save();
    expect([state.requests, vi.getTimerCount()]).toEqual([3, 1]);
    await vi.advanceTimersByTimeAsync(5000);
    expect([state.requests, vi.getTimerCount()]).toEqual([4, 1]);
    state.failure = undefined;
    await saver.save();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('waits for the seconds of Retry-After and reports them', async () => {
    const { state, saver } = createPage();
    state.failure = new RequestError(429, '', { retryAfterSeconds: 30 });
    await saver.save();
    expect(state.save).toEqual({ failed: state.failure, retry: { refusal: state.failure, seconds: 30 } });
    await vi.advanceTimersByTimeAsync(29_000);
    expect(state.requests).toBe(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(state.requests).toBe(2);
  });

  it('does not store a change twice whose response was lost', async () => {
    const { state, saver } = createPage();
    await saver.save();
    state.page = [a, b, c];
    state.losesResponse = true;
    await saver.save();
    const later = { ...c, text: 'later' };
    state.page = [a, b, later];
    await saver.save();
    expect([state.stored, state.page, state.version]).toEqual([[a, b, later], [a, b, later], 2]);
  });
});
