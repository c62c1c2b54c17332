import { Breach, Skip } from './breach.ts';
import type { Check, Visit } from './check.ts';
import type { Exchange } from './exchange.ts';
import { NoAnswer } from './probe.ts';
import type { Subject } from './services.ts';

export type Verdict =
  | { readonly check: Check; readonly outcome: 'passed' }
  | { readonly check: Check; readonly outcome: 'skipped'; readonly reason: string }
  | {
      readonly check: Check;
      readonly outcome: 'failed';
      readonly expected: string;
      /** The failing exchange; absent without a response or for incoming webhooks. */
      readonly exchange?: Exchange;
      readonly silent?: true;
    };

// Stops after this many checks without a response, instead of waiting in every check.
const MAX_UNANSWERED_CHECKS = 3;

/** Runs the checks in order; a failure does not stop the run. */
export async function* run(
  subject: Subject,
  context: Visit,
  wanted: (check: Check) => boolean = () => true,
): AsyncGenerator<Verdict, void, void> {
  let silent = 0;
  for (const check of subject.checks.filter(wanted)) {
    if (silent >= MAX_UNANSWERED_CHECKS) {
      yield { check, outcome: 'skipped', reason: 'the deployment no longer responds' };
      continue;
    }
    const result = await runCheck(check, context);
    silent = result.outcome === 'failed' && result.silent ? silent + 1 : 0;
    yield result;
  }
  // Best effort; the deletion itself is checked separately.
  await subject.leave?.(context).catch(() => {});
}

async function runCheck(check: Check, context: Visit): Promise<Verdict> {
  try {
    await check.run(context);
    return { check, outcome: 'passed' };
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof Skip) return { check, outcome: 'skipped', reason: error.message };
    if (error instanceof NoAnswer)
      return { check, outcome: 'failed', expected: `a response; ${error.message}`, silent: true };
    if (!(error instanceof Breach)) throw error;
    const { message, exchange } = error;
    return { check, outcome: 'failed', expected: message, ...(exchange && { exchange }) };
  }
}
