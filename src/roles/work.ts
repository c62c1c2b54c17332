import { hostname } from 'node:os';
import { sleep } from '../base/loop.ts';
import type { Model } from '../services/shared/service.ts';
import { ADVERTISE_INTERVAL_MS, HEARTBEAT_INTERVAL_MS, type WorkerStore } from '../tasks/workers.ts';
import { type AttemptPool, type AttemptPoolDeps, createAttemptPool, StuckAttempt } from './attempt-pool.ts';
import { startInterval } from './interval.ts';

export { StuckAttempt };

/** A stop waits this long for a running heartbeat. */
const LAST_HEARTBEAT_TIMEOUT_MS = 2000;

/**
 * Runs the tasks of one service until `signal` aborts, then drains: running attempts finish or are handed back. Rejects with
 * `StuckAttempt`; the process must then be killed.
 *
 * The event loop renews leases and sends heartbeats while the model computes in threads.
 */
export async function work(
  deps: AttemptPoolDeps & {
    load: () => Promise<Model>;
    workers: WorkerStore;
    /** Metrics of this process, sent with its heartbeat. */
    metrics: () => Promise<unknown[]>;
  },
): Promise<void> {
  const { id, service, workers, log, signal } = deps;
  let model: Model | undefined;
  let attempts: AttemptPool | undefined;
  let stuck = false;
  let advertised = { versions: '', at: 0 };

  const sendHeartbeat = async () => {
    await model?.refresh?.().catch((err) => log.warn({ err }, 'the state of the model was not refreshed'));
    const state = signal.aborted ? 'stopping' : model ? 'warm' : 'loading';
    const info = {
      ...model?.info(),
      running: attempts?.running() ?? 0,
      concurrency: model?.concurrency ?? 0,
      host: hostname(),
      pid: process.pid,
    };
    const versions = model?.versions() ?? [];
    // Before the heartbeat: with a warm worker, only advertised versions count.
    const names = versions.map(({ version }) => version).join();
    if (model && (names !== advertised.versions || Date.now() - advertised.at >= ADVERTISE_INTERVAL_MS)) {
      await workers.advertiseVersions(service, versions);
      advertised = { versions: names, at: Date.now() };
    }
    await workers.recordHeartbeat({ id, role: 'work', service, state, info, metrics: await deps.metrics() });
  };

  // Separate from lease renewals, so that a hanging heartbeat does not delay them.
  const heartbeats = startInterval(HEARTBEAT_INTERVAL_MS, sendHeartbeat, log);
  try {
    await sendHeartbeat().catch((err) => log.warn({ err }, 'the first heartbeat failed'));
    model = await deps.load();
    await sendHeartbeat().catch((err) => log.warn({ err }, 'the heartbeat failed'));
    attempts = createAttemptPool(model, deps);
    await attempts.run();
  } catch (error) {
    stuck = error instanceof StuckAttempt;
    throw error;
  } finally {
    // A heartbeat after `unregister` would count metrics twice; a hanging heartbeat must not block the exit.
    await Promise.race([heartbeats.stop(), sleep(LAST_HEARTBEAT_TIMEOUT_MS)]);
    await workers.unregister(id).catch(() => {});
    if (!stuck) await model?.close();
  }
}
