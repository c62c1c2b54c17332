import type { ApiClient } from '../../../ui/browser/api.ts';
import { type OnRetry, retryDelay } from '../../../ui/browser/poll-task.ts';
import { RequestError } from '../../../ui/browser/requests.ts';
import type { Recorded, RecordedSegment } from '../result.ts';
import { changeBetween, mergeChanges, type SegmentChange } from './segment-changes.ts';

/** The response of `GET /result/{task_id}/transcript?format=json`. */
export interface Transcript extends Recorded {
  readonly correction?: { readonly version: number };
}

/** `retry`: absent if the error does not pass by itself. */
export type SaveState = 'saving' | 'saved' | { readonly failed: unknown; readonly retry?: Parameters<OnRetry>[0] };

const RETRY_SECONDS = 5;

/** Stores the segments one version after another, and merges the changes of other editors. */
export function createCorrectionSaver(options: {
  readonly api: ApiClient;
  readonly taskId: string;
  readonly segments: readonly RecordedSegment[];
  /** The segments that the user sees now. `withTyping`: with the text that is being typed. */
  current(withTyping?: boolean): readonly RecordedSegment[];
  /** Another editor has changed the transcript. `conflicts`: changes of the user that were not applied. */
  onMerge(segments: readonly RecordedSegment[], conflicts: readonly SegmentChange[]): void;
  onState(state: SaveState): void;
}) {
  const { api, taskId, current, onMerge, onState } = options;
  const path = `result/${taskId}/transcript`;
  let stored = options.segments;
  let version: number | undefined;
  let running: Promise<void> | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  /** By the last request, which may have stored them although it failed. */
  let sent: readonly RecordedSegment[] | undefined;

  /** Reads the stored version and merges the changes of the user. */
  async function merge(): Promise<void> {
    const { segments: theirs, correction } = await api.call<Transcript>(`${path}?format=json`);
    const base = sent && !changeBetween(sent, theirs) ? sent : stored;
    const { segments, conflicts } = mergeChanges(base, current(true), theirs);
    [stored, version] = [theirs, correction?.version ?? 0];
    if (conflicts.length > 0 || changeBetween(current(true), segments)) onMerge(segments, conflicts);
  }

  async function saveAll(): Promise<void> {
    onState('saving');
    if (version === undefined) await merge();
    for (let segments = current(); changeBetween(stored, segments); segments = current()) {
      try {
        sent = segments;
        const headers = { 'if-match': `"${version}"` };
        const corrected = await api.call<{ version: number }>(path, { method: 'PUT', json: { segments }, headers });
        [stored, version] = [segments, corrected.version];
      } catch (error) {
        if (!(error instanceof RequestError && error.status === 412)) {
          // The change may be stored: reads the transcript before the next one.
          version = undefined;
          throw error;
        }
        await merge();
      }
    }
    onState('saved');
  }

  function save(): Promise<void> {
    clearTimeout(retry);
    running ??= saveAll()
      .catch((failed: unknown) => {
        const isTransient =
          failed instanceof RequestError && (failed.status === 0 || failed.status === 429 || failed.status >= 500);
        if (!isTransient) return onState({ failed });
        const seconds = Math.max(RETRY_SECONDS, retryDelay(failed, RETRY_SECONDS));
        onState({ failed, retry: { refusal: failed, seconds } });
        retry = setTimeout(() => void save(), seconds * 1000);
      })
      .finally(() => {
        running = undefined;
      });
    return running;
  }

  return {
    /** Saves until the current segments are stored; retried after an error. */
    async save(): Promise<void> {
      // The running save may have read the segments before the last change.
      await running;
      if (version === undefined || changeBetween(stored, current())) await save();
    },
    isSaved: () => changeBetween(stored, current(true)) === undefined,
  };
}
