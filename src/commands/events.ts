import { outagePauseSeconds } from '../client/events.ts';
import {
  Assay,
  type AssayError,
  type DocumentEvent,
  type PhotoEvent,
  RateLimited,
  type RecordingEvent,
} from '../client/index.ts';
import { runClientCommand } from './client-command.ts';
import type { ServerOptions } from './resolve-server.ts';
import { onOneLine } from './terminal.ts';

export interface EventsOptions extends ServerOptions {
  readonly service: 'defectoscopy' | 'stt' | 'passports';
  readonly after?: string;
  readonly follow?: boolean;
  readonly json?: boolean;
}

/** `assay events`: prints the events of a credential, one per line. */
export function eventsCommand(options: EventsOptions, signal: AbortSignal): Promise<void> {
  const { service, follow = false, after = follow ? 'latest' : undefined, json } = options;
  return runClientCommand(service, options, signal, async ({ url, token, apiKey, ...rest }, outputEnd) => {
    const assay = new Assay({ [service]: { url, token, apiKey }, ...rest });
    const stop = AbortSignal.any([signal, outputEnd]);
    try {
      let count = 0;
      const onOutage = (error: AssayError | undefined) => {
        if (error instanceof RateLimited) return rest.onRateLimit(outagePauseSeconds(error, 0));
        rest.onOutage(error);
      };
      for await (const event of assay[service].events({ after, follow, onOutage, signal: stop })) {
        if (stop.aborted) break;
        count++;
        process.stdout.write(`${json ? JSON.stringify(event) : lineOf(event)}\n`);
      }
      if (count === 0 && !stop.aborted)
        console.error(
          `No events of ${service}${after === undefined ? '' : ` after ${after}`}; --service selects another service.`,
        );
    } catch (error) {
      // Interrupting is how following ends.
      if (!signal.aborted) throw error;
    }
  });
}

function lineOf(event: PhotoEvent | RecordingEvent | DocumentEvent): string {
  const { id, type, created_at, task_id, status = '' } = event;
  const code = ('error_code' in event ? event.error_code : 'error_type' in event ? event.error_type : undefined) ?? '';
  const endpoint = ('endpoint' in event ? event.endpoint : undefined) ?? '';
  const at = /^\d+$/.test(created_at)
    ? new Date(Number(created_at) * 1000).toISOString().replace('.000', '')
    : created_at;
  return onOneLine([at, type, task_id, status, code, endpoint, id].filter((part) => part !== '').join('  '));
}
