import { OperatorError } from '../base/operator-error.ts';
import { Assay, type Delivery } from '../client/index.ts';
import { runClientCommand } from './client-command.ts';
import type { ServerOptions } from './resolve-server.ts';
import { onOneLine } from './terminal.ts';

export interface DeliveriesOptions extends ServerOptions {
  readonly service: 'defectoscopy' | 'stt';
  readonly json?: boolean;
}

export interface ListDeliveriesOptions extends DeliveriesOptions {
  readonly state?: Delivery['state'];
  readonly task?: string;
  readonly since?: Date;
}

/** `assay deliveries`: prints the webhook deliveries of a credential, newest first, with their attempts. */
export function listDeliveriesCommand(options: ListDeliveriesOptions, signal: AbortSignal): Promise<void> {
  const { state, task: taskId, since, json } = options;
  return withService(options, signal, async (service) => {
    let count = 0;
    for await (const delivery of service.deliveries({ state, taskId, since, signal })) {
      count++;
      process.stdout.write(json ? `${JSON.stringify(delivery)}\n` : `${linesOf(delivery).join('\n')}\n`);
    }
    if (count === 0) console.error('No deliveries.');
  });
}

export interface RedeliverOptions extends DeliveriesOptions {
  readonly since?: Date;
  readonly pending?: boolean;
}

/** `assay deliveries redeliver`: sends the webhooks of tasks again, or all that have failed since a time. */
export function redeliverCommand(
  taskIds: readonly string[],
  options: RedeliverOptions,
  signal: AbortSignal,
): Promise<void> {
  const { since, pending, json } = options;
  if (taskIds.length === 0 && !since) throw new OperatorError('Name the tasks, or use --since.');
  if (taskIds.length > 0 && (since || pending))
    throw new OperatorError('Task ids cannot be combined with --since or --pending.');
  return withService(options, signal, async (service) => {
    let count = 0;
    for (const what of since ? [since] : taskIds) count += await service.redeliver(what, { pending, signal });
    process.stdout.write(json ? `${JSON.stringify({ redelivered: count })}\n` : `Queued for redelivery: ${count}\n`);
  });
}

/** `assay deliveries test`: sends a signed test event to a receiver; exit status 1 if it was not delivered. */
export function testWebhookCommand(
  receiver: string,
  options: DeliveriesOptions & { readonly secret?: string },
  signal: AbortSignal,
): Promise<void> {
  return withService(options, signal, async (service) => {
    const result = await service.testWebhook(receiver, { secret: options.secret, signal });
    const { delivered, response_status_code: status, error, duration_ms: ms } = result;
    const line = parts(delivered ? 'Delivered' : 'Failed', String(status ?? ''), error ?? '', inMs(ms));
    process.stdout.write(`${options.json ? JSON.stringify(result) : line}\n`);
    if (!delivered) process.exitCode = 1;
  });
}

/** `assay deliveries endpoints`: prints the receivers whose last attempts failed. */
export function listEndpointsCommand(options: DeliveriesOptions, signal: AbortSignal): Promise<void> {
  return withService(options, signal, async (service) => {
    const endpoints = await service.endpoints({ signal });
    if (endpoints.length === 0) console.error('No receiver fails.');
    for (const each of endpoints) {
      const { endpoint, state, failing_since: since, failed_attempts: failed, held } = each;
      const line = parts(
        endpoint,
        state,
        `failing since ${timeOf(since)}`,
        `failed attempts ${failed}`,
        `held ${held}`,
      );
      process.stdout.write(`${options.json ? JSON.stringify(each) : line}\n`);
    }
  });
}

/** `assay deliveries resume`: ends the pause of a receiver. */
export function resumeEndpointCommand(
  endpoint: string,
  options: DeliveriesOptions,
  signal: AbortSignal,
): Promise<void> {
  return withService(options, signal, async (service) => {
    const resumed = await service.resumeEndpoint(endpoint, { signal });
    process.stdout.write(`${options.json ? JSON.stringify({ resumed }) : resumed ? 'Resumed' : 'It was not paused'}\n`);
  });
}

function withService(
  options: DeliveriesOptions,
  signal: AbortSignal,
  run: (service: Assay['defectoscopy' | 'stt']) => Promise<void>,
): Promise<void> {
  return runClientCommand(options.service, options, signal, ({ url, token, apiKey: _, ...rest }) =>
    run(new Assay({ [options.service]: { url, token }, ...rest })[options.service]),
  );
}

function linesOf({ delivery_id, task_id, url, state, next_attempt_at, held, attempt_log }: Delivery): string[] {
  const next = next_attempt_at === undefined ? (held ? ['held'] : []) : [`next attempt ${timeOf(next_attempt_at)}`];
  const attempts = attempt_log.map(({ attempt, started_at, duration_ms, response_status_code, error }) =>
    parts(`  ${attempt}`, timeOf(started_at), String(response_status_code ?? ''), error ?? '', inMs(duration_ms)),
  );
  return [parts(delivery_id, task_id, state, url, ...next), ...attempts];
}

const parts = (...all: string[]) => onOneLine(all.filter((part) => part !== '').join('  '));
const inMs = (ms: number | undefined) => (ms === undefined ? '' : `${ms} ms`);
const timeOf = (seconds: string) => new Date(Number(seconds) * 1000).toISOString();
