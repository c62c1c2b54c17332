import type { WorkerState } from '../tasks/workers.ts';

export interface EstimateSettings {
  readonly warmSeconds: number;
  readonly coldSeconds: number;
}

/** The hint for the first poll. A worker whose state nobody knows counts as cold: too late a poll costs nothing. */
export const estimateSeconds = (state: WorkerState, { warmSeconds, coldSeconds }: EstimateSettings): number =>
  state === 'warm' ? warmSeconds : coldSeconds;
