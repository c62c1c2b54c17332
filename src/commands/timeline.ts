import { OperatorError } from '../base/operator-error.ts';
import { Assay, type DocumentTimeline, TaskNotFound, type TaskTimeline } from '../client/index.ts';
import { otherServicesHint, printResult, runClientCommand, type TASK_SERVICES } from './client-command.ts';
import type { ServerOptions } from './resolve-server.ts';
import { onOneLine } from './terminal.ts';

export interface TimelineOptions extends ServerOptions {
  readonly service: (typeof TASK_SERVICES)[number];
  readonly json?: boolean;
}

/** `assay timeline ID`: prints what happened to a task, one entry per line. */
export function timelineCommand(id: string, options: TimelineOptions, signal: AbortSignal): Promise<void> {
  const { service } = options;
  return runClientCommand(service, options, signal, async ({ url, token, apiKey, ...rest }) => {
    const client = new Assay({ [service]: { url, token, apiKey }, ...rest })[service];
    const read = await client.timeline(id, { signal }).catch((error) => {
      if (!(error instanceof TaskNotFound)) throw error;
      throw new OperatorError(
        onOneLine(`${url} (${service}) has no task ${id} (TASK_NOT_FOUND). ${otherServicesHint('task', service)}`),
      );
    });
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
