import { Breach, Skip } from './breach.ts';
import type { Check, Visit } from './check.ts';
import type { Exchange } from './exchange.ts';
import { NoAnswer } from './probe.ts';
import type { Subject } from './services.ts';

/** What came of one check. */
export type Verdict =
  | { readonly check: Check; readonly outcome: 'passed' }
  | { readonly check: Check; readonly outcome: 'skipped'; readonly reason: string }
  | {
      readonly check: Check;
      readonly outcome: 'failed';
      /** What should have been. */
      readonly expected: string;
      /** In which something else came; absent where nothing came, or not by a request of ours. */
      readonly exchange?: Exchange;
      /** There where the deployment gave no answer at all. */
      readonly silent?: true;
    };

// A deployment that went away would be waited for in every check.
const SILENT_CHECKS = 3;

/** Goes through the checks in their order, one after another; each is judged, none ends the others. */
export async function* run(
  subject: Subject,
  visit: Visit,
  wanted: (check: Check) => boolean = () => true,
): AsyncGenerator<Verdict, void, void> {
  let silent = 0;
  for (const check of subject.checks.filter(wanted)) {
    if (silent >= SILENT_CHECKS) {
      yield { check, outcome: 'skipped', reason: 'the deployment does not answer any more' };
      continue;
    }
    const verdict = await judge(check, visit);
    silent = verdict.outcome === 'failed' && verdict.silent ? silent + 1 : 0;
    yield verdict;
  }
  // What cannot be cleared away stays; whether it can be deleted, checks have told.
  await subject.leave?.(visit).catch(() => {});
}

async function judge(check: Check, visit: Visit): Promise<Verdict> {
  try {
    await check.run(visit);
    return { check, outcome: 'passed' };
  } catch (error) {
    visit.signal.throwIfAborted();
    if (error instanceof Skip) return { check, outcome: 'skipped', reason: error.message };
    if (error instanceof NoAnswer)
      return { check, outcome: 'failed', expected: `an answer; ${error.message}`, silent: true };
    if (!(error instanceof Breach)) throw error;
    const { message, exchange } = error;
    return { check, outcome: 'failed', expected: message, ...(exchange && { exchange }) };
  }
}
