import { randomBytes } from 'node:crypto';
import { OperatorError } from '../base/operator-error.ts';
import { withTimeLimit } from '../base/time-limit.ts';
import { systemClock } from '../client/clock.ts';
import { outagePauseSeconds } from '../client/events.ts';
import { Assay, EventsExpired, type PhotoEvent, type RecordingEvent, TaskNotFound } from '../client/index.ts';
import { isTransient } from '../client/response-error.ts';
import { PATTERN_MESSAGES, WEBHOOK_SECRET } from '../http/text-patterns.ts';
import { nowSeconds, webhookHeaders } from '../tasks/send-webhook.ts';
import { signWebhook } from '../tasks/webhook-signature.ts';
import { runClientCommand } from './client-command.ts';
import { parseServerUrl, type ServerOptions } from './resolve-server.ts';
import { onOneLine } from './terminal.ts';

export interface ListenOptions extends ServerOptions {
  readonly service: 'defectoscopy' | 'stt';
  readonly forward: string;
  readonly secret?: string;
  readonly after?: string;
}

/** As for webhooks. */
const TIMEOUT_MS = 15_000;

/** `assay listen`: sends the result of each task that ends to a local receiver, signed like a webhook. */
export function listenCommand(options: ListenOptions, signal: AbortSignal): Promise<void> {
  const { service, forward, after = 'latest' } = options;
  parseServerUrl(forward, '--forward ');
  const secret = options.secret ?? (process.env['ASSAY_WEBHOOK_SECRET'] || newSecret());
  if (!WEBHOOK_SECRET.test(secret))
    throw new OperatorError(
      `${options.secret === undefined ? 'ASSAY_WEBHOOK_SECRET' : '--secret'}: ${PATTERN_MESSAGES[WEBHOOK_SECRET.source]}.`,
    );
  return runClientCommand(service, options, signal, async ({ url, token, apiKey: _, ...rest }) => {
    const assay = new Assay({ [service]: { url, token }, ...rest })[service];
    /** For `--after`: the event before the first one whose result was not forwarded. */
    let resumeAfter: string | undefined;
    let isForwarding = false;
    try {
      // A server that cannot be reached or rejects the credential is reported at once.
      let start = after;
      const onCursor = (cursor: string) => {
        if (after === 'latest') start = resumeAfter = cursor;
      };
      for await (const _ of assay.events({ after: 'latest', follow: false, onCursor, signal }));
      console.error(`Forwarding the results of ${service} to ${forward}. Secret of the signatures: ${secret}`);
      for await (const event of assay.events({ after: start, signal })) {
        if (event.type.endsWith('.terminal')) {
          resumeAfter ??= start;
          isForwarding = true;
          const outcome = await forwardResult(assay, event, { forward, secret, signal });
          isForwarding = false;
          process.stdout.write(
            `${onOneLine([new Date().toISOString(), event.task_id, event.status ?? '', outcome].join('  '))}\n`,
          );
        }
        resumeAfter = event.id;
      }
    } catch (error) {
      const hasMissed = isForwarding || !(signal.aborted || error instanceof EventsExpired);
      if (hasMissed && resumeAfter !== undefined)
        console.error(onOneLine(`To continue with the results that were not forwarded: --after ${resumeAfter}`));
      // Interrupting is how listening ends.
      if (!signal.aborted) throw error;
    }
  });
}

const newSecret = () => `whsec_${randomBytes(24).toString('base64')}`;

/** Sends the body of `GET /result/{task_id}` once; returns the answer as text. */
async function forwardResult(
  assay: Pick<Assay['defectoscopy'], 'resultBody'>,
  event: PhotoEvent | RecordingEvent,
  { forward, secret, signal }: { forward: string; secret: string; signal: AbortSignal },
): Promise<string> {
  const taskId = event.task_id;
  let body: Buffer;
  try {
    body = Buffer.from(await readResult(assay, taskId, signal));
  } catch (error) {
    if (error instanceof TaskNotFound) return 'not sent: the task was deleted or has expired';
    throw error;
  }
  const deliveryId = deliveryIdOf(body) ?? `whd_${taskId}`;
  const startedAt = performance.now();
  const headers = webhookHeaders(
    { event: event.type, taskId, deliveryId, attempt: 1 },
    signWebhook({ id: deliveryId, timestamp: nowSeconds(), body, secret }),
  );
  const answer = await withTimeLimit(TIMEOUT_MS, signal, (limited) =>
    fetch(forward, { method: 'POST', redirect: 'manual', body, headers, signal: limited }),
  ).catch((error: Error) => error);
  const ms = `${Math.round(performance.now() - startedAt)} ms`;
  if (!(answer instanceof Error)) {
    await answer.body?.cancel();
    return `${answer.status}  ${ms}`;
  }
  signal.throwIfAborted();
  // The message of fetch is only `fetch failed`.
  const { code, message } = (answer.cause ?? {}) as { code?: string; message?: string };
  return `${answer.name === 'TimeoutError' ? 'timeout' : (code ?? message ?? answer.message)}  ${ms}`;
}

/** Reads the result again after overload and connection errors, without end: the event is not repeated. */
async function readResult(
  assay: Pick<Assay['defectoscopy'], 'resultBody'>,
  taskId: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  for (let failures = 0; ; failures++) {
    try {
      return await assay.resultBody(taskId, { signal });
    } catch (error) {
      if (!isTransient(error)) throw error;
      if (failures === 0)
        console.error(onOneLine(`The result of ${taskId} cannot be read, retrying: ${error.message}`));
      await systemClock.sleep(outagePauseSeconds(error, failures) * 1000, signal);
    }
  }
}

const deliveryIdOf = (body: Buffer) =>
  (JSON.parse(body.toString()) as { data: { webhook?: { delivery_id?: string } } }).data.webhook?.delivery_id;
