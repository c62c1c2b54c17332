import { setTimeout as rest } from 'node:timers/promises';
import { skip } from './breach.ts';
import type { Visit } from './check.ts';
import type { Exchange } from './exchange.ts';

// "Repeat with a pause of about 30 to 60 seconds per task" (8), unless the deployment holds the answer by itself.
const PAUSE_MS = 30_000;
// Between answers that were held, in case that a deployment only says so.
const BREATH_MS = 500;

/** Reads a task's state until it is final. A deployment that knows `Prefer: wait` (RFC 7240) is asked to hold the answer. */
export async function untilFinal(
  visit: Visit,
  read: (headers: Record<string, string>) => Promise<Exchange>,
  isFinal: (answer: Exchange) => boolean,
): Promise<Exchange> {
  const until = Date.now() + visit.patienceMs;
  for (;;) {
    const leftSeconds = Math.max(1, Math.ceil((until - Date.now()) / 1000));
    const answer = await read({ prefer: `wait=${Math.min(20, leftSeconds)}` });
    if (isFinal(answer)) return answer;
    if (Date.now() >= until) return skip(tooLong(visit));
    const wasHeld = answer.headers.get('preference-applied') !== null;
    await pause(visit, Math.min(wasHeld ? BREATH_MS : PAUSE_MS, until - Date.now()));
  }
}

/** Asks again and again, at first soon and then every five seconds, until the answer will do. */
export async function until(
  visit: Visit,
  ask: () => Promise<Exchange>,
  willDo: (answer: Exchange) => boolean,
  patienceMs = visit.patienceMs,
): Promise<Exchange | undefined> {
  const end = Date.now() + patienceMs;
  for (let ms = 100; ; ms = Math.min(5_000, ms * 2)) {
    const answer = await ask();
    if (willDo(answer)) return answer;
    if (Date.now() + ms > end) return undefined;
    await pause(visit, ms);
  }
}

export const tooLong = ({ patienceMs }: Visit) =>
  `the task was not finished after ${patienceMs / 1000} s; --patience gives it longer`;

const pause = ({ signal }: Visit, ms: number) => rest(ms, undefined, { signal });
