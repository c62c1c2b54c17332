import { setTimeout as delay } from 'node:timers/promises';

/** Waits until the condition holds; on timeout, throws an error with its source text. */
export async function waitUntil(condition: () => boolean | Promise<boolean>, timeoutMs = 40_000): Promise<void> {
  for (const since = Date.now(); !(await condition()); await delay(20)) {
    if (Date.now() - since > timeoutMs)
      throw new Error(`The condition did not hold within ${timeoutMs / 1000} s: ${condition}`);
  }
}
