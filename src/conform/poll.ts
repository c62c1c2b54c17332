import { setTimeout as sleep } from 'node:timers/promises';
import { skip } from './assertion-failure.ts';
import type { RunContext } from './check.ts';
import type { Exchange } from './exchange.ts';

// "Repeat with a pause of about 30 to 60 seconds per task" (8), unless the deployment supports long polling.
const PAUSE_MS = 30_000;
// In case a deployment only claims to support long polling.
const LONG_POLL_PAUSE_MS = 500;

/** Polls a task until its state is final, with long polling (`Prefer: wait`, RFC 7240) if supported. */
export async function pollUntilFinal(
  context: RunContext,
  read: (headers: Record<string, string>) => Promise<Exchange>,
  isFinal: (response: Exchange) => boolean,
): Promise<Exchange> {
  const deadline = Date.now() + context.patienceMs;
  for (;;) {
    const leftSeconds = Math.max(1, Math.ceil((deadline - Date.now()) / 1000));
    const response = await read({ prefer: `wait=${Math.min(20, leftSeconds)}` });
    if (isFinal(response)) return response;
    if (Date.now() >= deadline) return skip(timeoutReason(context));
    const wasHeld = response.headers.get('preference-applied') !== null;
    await pause(context, Math.min(wasHeld ? LONG_POLL_PAUSE_MS : PAUSE_MS, deadline - Date.now()));
  }
}

/** Polls with an interval from 100 ms to 5 s; undefined if the time limit passes. */
export async function pollUntil(
  context: RunContext,
  request: () => Promise<Exchange>,
  isReady: (response: Exchange) => boolean,
  patienceMs = context.patienceMs,
): Promise<Exchange | undefined> {
  const end = Date.now() + patienceMs;
  for (let ms = 100; ; ms = Math.min(5_000, ms * 2)) {
    const response = await request();
    if (isReady(response)) return response;
    if (Date.now() + ms > end) return undefined;
    await pause(context, ms);
  }
}

export const timeoutReason = ({ patienceMs }: RunContext) =>
  `the task did not finish within ${patienceMs / 1000} s; increase --patience`;

const pause = ({ signal }: RunContext, ms: number) => sleep(ms, undefined, { signal });
