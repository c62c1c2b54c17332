import { hostname } from 'node:os';
import { rest } from '../base/loop.ts';
import type { Model } from '../services/service.ts';
import { BEAT_MS, OFFER_MS, type Workers } from '../tasks/workers.ts';
import { type AttemptNeeds, type Attempts, openAttempts, StuckAttempt } from './attempts.ts';
import { every } from './every.ts';

export { StuckAttempt };

/** How long a stop waits for a heartbeat under way. */
const LAST_BEAT_MS = 2000;

/**
 * Works for one service until `signal` aborts, then finishes what it has begun (handing back what takes too long) and
 * resolves. Rejects with `StuckAttempt` when one is stuck beyond help: the process must then be killed.
 *
 * The event loop of this process is its heart: it renews leases and beats while the model computes elsewhere (in
 * threads), so a long inference does not look like a death.
 */
export async function work(
  needs: AttemptNeeds & {
    load: () => Promise<Model>;
    workers: Workers;
    /** What this process counts; travels with its heartbeat. */
    metrics: () => Promise<unknown[]>;
  },
): Promise<void> {
  const { id, service, workers, log, signal } = needs;
  let model: Model | undefined;
  let attempts: Attempts | undefined;
  let stuck = false;
  let offered = { versions: '', at: 0 };

  const beat = async () => {
    const state = signal.aborted ? 'stopping' : model ? 'warm' : 'loading';
    const info = { ...model?.info(), running: attempts?.running() ?? 0, host: hostname(), pid: process.pid };
    const versions = model?.versions() ?? [];
    // Before the beat: from a warm worker's first one on, only what is offered counts.
    if (model && (versions.join() !== offered.versions || Date.now() - offered.at >= OFFER_MS)) {
      await workers.offer(service, versions);
      offered = { versions: versions.join(), at: Date.now() };
    }
    await workers.beat({ id, role: 'work', service, state, info, metrics: await needs.metrics() });
  };

  // Not the loop that renews leases: a heartbeat that hangs must not cost them.
  const heart = every(BEAT_MS, beat, log);
  try {
    await beat().catch((err) => log.warn({ err }, 'the first heartbeat did not reach the store'));
    model = await needs.load();
    await beat().catch((err) => log.warn({ err }, 'the heartbeat did not reach the store'));
    attempts = openAttempts(model, needs);
    await attempts.make();
  } catch (error) {
    stuck = error instanceof StuckAttempt;
    throw error;
  } finally {
    // A heartbeat that arrived after `leave` would count everything twice; one that hangs must not keep the process.
    await Promise.race([heart.stop(), rest(LAST_BEAT_MS)]);
    await workers.leave(id).catch(() => {});
    if (!stuck) await model?.close();
  }
}
