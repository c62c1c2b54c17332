import type { Roster } from '../tasks/roster.ts';
import type { Priority } from '../tasks/task.ts';
import type { SharedSettings } from './service.ts';

export interface EstimateSettings {
  readonly warmSeconds: number;
  readonly coldSeconds: number;
}

/**
 * The estimated wait until a task that is accepted now has ended, a hint for the first poll. At least what the settings
 * say; more where the tasks ahead of it take the workers longer than that. A worker whose state is unknown counts as cold:
 * too late a poll costs nothing.
 */
export function estimateSeconds(
  { roster, shared }: { roster: Roster; shared: SharedSettings },
  { service, priority }: { service: string; priority: Priority },
  { warmSeconds, coldSeconds }: EstimateSettings,
): number {
  const fixed = roster.state(service) === 'warm' ? warmSeconds : coldSeconds;
  const rate = shared.estimateMode === 'learned' ? roster.completionsPerSecond(service) : undefined;
  if (rate === undefined) return fixed;
  const { realtime, batch } = roster.waiting(service);
  const ahead = (priority === 'realtime' ? realtime : realtime + batch) + roster.depth(service).processing;
  const startSeconds = fixed - warmSeconds;
  // A task that waits longer than its deadline fails then.
  const learned = Math.min(startSeconds + Math.ceil((ahead + 1) / rate), shared.taskDeadlineSeconds);
  return Math.max(fixed, learned);
}
