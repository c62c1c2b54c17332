import { setTimeout as delay } from 'node:timers/promises';

/** Waits until the condition holds; a test that waits for what does not come says what it was. */
export async function until(condition: () => boolean | Promise<boolean>, patienceMs = 40_000): Promise<void> {
  for (const since = Date.now(); !(await condition()); await delay(20)) {
    if (Date.now() - since > patienceMs) throw new Error(`Not so within ${patienceMs / 1000} s: ${condition}`);
  }
}
