import { hostname } from 'node:os';
import type { Log } from '../base/log.ts';
import { createBell, rest } from '../base/loop.ts';
import { type Span, type Traces, under } from '../base/trace.ts';
import type { Model } from '../services/service.ts';
import type { Claim, Ending, TaskStore } from '../tasks/store.ts';
import { BEAT_MS, OFFER_MS, type Workers } from '../tasks/workers.ts';
import { type Attempt, beginAttempt, LEASE_MS } from './attempt.ts';
import { type AttemptOutcome, beginAttemptSpan, endAttemptSpan } from './attempt-span.ts';
import type { WorkMeters } from './meters.ts';

/** What ends within this time of a busy worker is written down together. */
const GATHER_MS = 10;
/** How long a gentle stop waits for attempts under way before it hands them back. */
const GRACE_MS = 20_000;

/** An attempt that does not stop. Whatever thread it has only ends with its process. */
export class StuckAttempt extends Error {
  override readonly name = 'StuckAttempt';
}

/**
 * Works for one service until `signal` aborts, then finishes what it has begun (handing back what takes too long) and
 * resolves. Rejects with `StuckAttempt` when one is stuck beyond help: the process must then be killed.
 *
 * The event loop of this process is its heart: it renews leases and beats while the model computes elsewhere (in
 * threads), so a long inference does not look like a death.
 */
export async function work(needs: {
  id: string;
  service: string;
  load: () => Promise<Model>;
  tasks: TaskStore;
  workers: Workers;
  maxAttempts: number;
  meters: WorkMeters;
  /** Where the spans of attempts go; absent where nothing is traced. */
  traces?: Traces | undefined;
  /** What this process counts; travels with its heartbeat. */
  metrics: () => Promise<unknown[]>;
  log: Log;
  signal: AbortSignal;
  /** After this long an attempt that was told to stop is stuck. */
  stuckMs?: number;
}): Promise<void> {
  const { id, service, tasks, workers, meters, log, signal } = needs;
  const attempts = new Map<string, Attempt>();
  const endings: Ended[] = [];
  const bell = createBell();
  const over = new AbortController();
  let model: Model | undefined;
  let stuck = false;
  let offered = { versions: '', at: 0 };

  const beat = async () => {
    const state = signal.aborted ? 'stopping' : model ? 'warm' : 'loading';
    const info = { ...model?.info(), running: attempts.size, host: hostname(), pid: process.pid };
    const versions = model?.versions() ?? [];
    // Before the beat: from a warm worker's first one on, only what is offered counts.
    if (model && (versions.join() !== offered.versions || Date.now() - offered.at >= OFFER_MS)) {
      await workers.offer(service, versions);
      offered = { versions: versions.join(), at: Date.now() };
    }
    await workers.beat({ id, role: 'work', service, state, info, metrics: await needs.metrics() });
  };

  const renew = async () => {
    const leases = [...attempts.values()];
    if (leases.length === 0) return;
    const held = new Set(
      await tasks.renew(
        id,
        leases.map((attempt) => attempt.renewal()),
      ),
    );
    // Only what is still running: an attempt may have ended while its lease was being renewed.
    for (const attempt of leases) if (!held.has(attempt.claim.id)) attempts.get(attempt.claim.id)?.lose();
  };

  /** Counts an attempt, now that it is known what has come of it. */
  const told = ({ claim, processingMs, span, code }: Omit<Ended, 'ending'>, outcome: AttemptOutcome) => {
    meters.processed(claim, processingMs, outcome);
    endAttemptSpan(span, outcome, code);
  };

  const begin = (claim: Claim) => {
    meters.waited(claim);
    const span = beginAttemptSpan(needs.traces, service, claim);
    const attempt = under(span, () =>
      beginAttempt(claim, model!, { ...needs, span, onCheckpoint: () => renewals.now() }),
    );
    const { id: task } = claim;
    // A process that was stopped for a while may claim a task that an attempt of its own has lost and not yet let go.
    attempts.get(task)?.lose();
    attempts.set(task, attempt);
    void attempt.ended.then((end) => {
      if (attempts.get(task) === attempt) attempts.delete(task);
      // It may have waited for a turn all the while, behind the one that still runs: then the time was not its own.
      const blameless = attempt.overtime() && !end.stuck && [...attempts.values()].some((other) => other.overtime());
      const ending = blameless ? handedBack(attempt) : end.ending;
      const { processingMs, code } = end;
      if (ending) endings.push({ claim, ending, processingMs, span, code });
      else told({ claim, processingMs, span, code }, 'lost');
      stuck ||= end.stuck;
      bell.ring();
    });
  };

  /** Sends what has ended and takes what may begin. */
  const advance = async (limit: number) => {
    const sent = endings.splice(0);
    if (limit === 0 && sent.length === 0) return;
    try {
      const { ended, claimed } = await tasks.advance(
        sent.map(({ ending }) => ending),
        { service, worker: id, limit, leaseMs: LEASE_MS },
      );
      claimed.forEach(begin);
      // Counted now that the fence has spoken, so that what two workers finished is one task.
      const recorded = new Set(ended);
      for (const each of sent) told(each, recorded.has(each.ending.id) ? each.ending.outcome : 'lost');
      if (ended.length > 0) tasks.hint('finished');
      if (ended.length < sent.length) log.warn({ late: sent.length - ended.length }, 'endings came too late to count');
    } catch (error) {
      // Nothing is lost: the endings are sent again, and the fence refuses those that then come too late.
      endings.unshift(...sent);
      throw error;
    }
  };

  /** What runs beside a stuck attempt has done no wrong: another worker begins it anew, and it is not counted. */
  const spareOthers = async () => {
    const others = [...attempts.values()];
    for (const attempt of others) attempt.lose();
    await advance(0);
    await tasks.advance(others.map(handedBack), { service, worker: id, limit: 0, leaseMs: LEASE_MS });
    tasks.hint(`waiting:${service}`);
  };

  // Two of them: a heartbeat that hangs must not cost the leases.
  const renewals = every(BEAT_MS, renew, log);
  const heart = every(BEAT_MS, beat, log);
  try {
    await beat().catch((err) => log.warn({ err }, 'the first heartbeat did not reach the store'));
    model = await needs.load();
    await beat().catch((err) => log.warn({ err }, 'the heartbeat did not reach the store'));
    tasks.onHint(`waiting:${service}`, bell.ring, over.signal);
    signal.addEventListener('abort', bell.ring);
    for (let failures = 0; !signal.aborted && !stuck; ) {
      try {
        await advance(model.concurrency - attempts.size);
        failures = 0;
        await bell.wait();
        // With plenty still in hand, an ending waits for company: one statement then ends and claims several tasks.
        if (attempts.size > model.concurrency / 2) await rest(GATHER_MS, signal);
      } catch (error) {
        failures++;
        log.warn({ err: error }, 'the store does not answer; work goes on when it does');
        await bell.wait(Math.min(100 * 2 ** failures, 5000));
      }
    }
    const grace = setTimeout(() => {
      for (const attempt of attempts.values()) attempt.handBack();
    }, GRACE_MS);
    while (attempts.size > 0 && !stuck) await bell.wait();
    clearTimeout(grace);
    if (stuck)
      await spareOthers().catch((err) => log.warn({ err }, 'what runs beside a stuck attempt waits for its lease'));
    else await advance(0);
  } finally {
    renewals.stop();
    heart.stop();
    over.abort();
    await workers.leave(id).catch(() => {});
    if (!stuck) await model?.close();
  }
  if (stuck) throw new StuckAttempt('An attempt does not stop: this process ends, so that its thread ends too.');
}

const handedBack = ({ claim }: Attempt): Ending => ({
  ...{ id: claim.id, attempt: claim.attempt },
  ...{ outcome: 'again', delayMs: 0, uncounted: true },
});

/** An ending that is to be recorded, and what is counted once it is. */
interface Ended {
  readonly claim: Claim;
  readonly ending: Ending;
  readonly processingMs: number;
  readonly span: Span | undefined;
  /** Of its failure, also of one that another attempt may mend. */
  readonly code: string | undefined;
}

/** Calls `run` every `ms` and when told to, never two at a time. */
function every(ms: number, run: () => Promise<unknown>, log: Log): { now(): void; stop(): void } {
  let busy = false;
  let again = false;
  const now = () => {
    again = busy;
    if (busy) return;
    busy = true;
    run()
      .catch((err) => log.warn({ err }, 'the heartbeat did not reach the store'))
      .finally(() => {
        busy = false;
        if (again) now();
      });
  };
  const timer = setInterval(() => {
    if (!busy) now();
  }, ms);
  return { now, stop: () => clearInterval(timer) };
}
