import type { DocumentTimeline, TaskTimeline } from '../client/index.ts';
import { printResult } from './client-command.ts';
import { onTask, type TaskOptions } from './task.ts';
import { onOneLine } from './terminal.ts';

/** `assay timeline ID`: prints what happened to a task, one entry per line. */
export function timelineCommand(id: string, options: TaskOptions, signal: AbortSignal): Promise<void> {
  return onTask(id, options, signal, async (assay) => {
    const read = await assay[options.service].timeline(id, { signal });
    return printResult(options, read, read.timeline.map(lineOf));
  });
}

type Entry = (TaskTimeline | DocumentTimeline)['timeline'][number];

/** The time since the task was accepted, the type and the other fields. */
function lineOf({ offset_ms, type, at: _, attempt, duration_ms, delay_ms, count, ...entry }: Entry): string {
  const { step, worker, reason, status, response_status_code, error } = entry;
  const numbered = attempt === undefined ? type : `${type} ${attempt}`;
  const times = [duration_ms, delay_ms].map((ms) => ms !== undefined && `${ms} ms`);
  const parts = [numbered, step, worker, reason, status, response_status_code, error, count && `× ${count}`, ...times];
  const time = `${(offset_ms / 1000).toFixed(3)} s`.padStart(12);
  return onOneLine([time, ...parts.filter((part) => part !== undefined && part !== false)].join('  '));
}
