import { setTimeout as sleep } from 'node:timers/promises';
import { skip } from './assertion-failure.ts';
import type { RunContext } from './check.ts';
import type { Exchange } from './exchange.ts';

// The client (src/client/poll.ts) and the pages (src/ui/browser/poll-task.ts) poll too. The checks share no code with them,
// because they could not detect an error of that code.

type Read = (headers: Record<string, string>) => Promise<Exchange>;
type Condition = (response: Exchange) => boolean;
/** The pause after a response, by the number of earlier ones. */
type Pause = (response: Exchange, polls: number) => number;

/** From 100 ms to 5 s. */
export const growing: Pause = (_, polls) => Math.min(5_000, 100 * 2 ** polls);

// "Repeat with a pause of about 30 to 60 seconds per task" (8), unless the deployment supports long polling (RFC 7240). The
// shorter pause is for a deployment that only claims to.
const specified: Pause = ({ headers }) => (headers.get('preference-applied') === null ? 30_000 : 500);

/** Polls until the condition is met; undefined if the time limit passes. */
export async function pollUntil(
  { signal, ...context }: RunContext,
  read: Read,
  isMet: Condition,
  { timeoutMs = context.timeoutMs, pause = growing }: { timeoutMs?: number; pause?: Pause } = {},
): Promise<Exchange | undefined> {
  const end = Date.now() + timeoutMs;
  for (let polls = 0; ; polls++) {
    const leftSeconds = Math.max(1, Math.ceil((end - Date.now()) / 1000));
    const response = await read({ prefer: `wait=${Math.min(20, leftSeconds)}` });
    if (isMet(response)) return response;
    const leftMs = end - Date.now();
    if (leftMs <= 0) return undefined;
    await sleep(Math.min(pause(response, polls), leftMs), undefined, { signal });
  }
}

/** Polls a task until its state is final. Throws `Skip` if the time limit passes. */
export const pollUntilFinal = async (context: RunContext, read: Read, isFinal: Condition, pause = specified) =>
  (await pollUntil(context, read, isFinal, { pause })) ??
  skip(`the task did not finish within ${context.timeoutMs / 1000} s; increase --timeout`);
