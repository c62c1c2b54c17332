import { AssertionFailure, Skip } from './assertion-failure.ts';
import type { Check, RunContext } from './check.ts';
import type { Exchange } from './exchange.ts';
import { NoResponse } from './probe.ts';
import type { ServiceChecks } from './services.ts';

export type CheckResult =
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
export async function* runChecks(
  subject: ServiceChecks,
  context: RunContext,
  wanted: (check: Check) => boolean = () => true,
): AsyncGenerator<CheckResult, void, void> {
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
  await subject.cleanUp?.(context).catch(() => {});
}

async function runCheck(check: Check, context: RunContext): Promise<CheckResult> {
  try {
    await check.run(context);
    return { check, outcome: 'passed' };
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof Skip) return { check, outcome: 'skipped', reason: error.message };
    if (error instanceof NoResponse)
      return { check, outcome: 'failed', expected: `a response; ${error.message}`, silent: true };
    if (!(error instanceof AssertionFailure)) throw error;
    const { message, exchange } = error;
    return { check, outcome: 'failed', expected: message, ...(exchange && { exchange }) };
  }
}
