import type { Log } from '../base/log.ts';
import { loop } from '../base/loop.ts';
import type { Depth, TaskStore } from './store.ts';
import type { Beat, WorkerState, Workers } from './workers.ts';

/** What a gateway knows of the workers and the queue, about a second old: asked by every request, fetched by one loop. */
export interface Roster {
  /** Whether the store answered when last asked. */
  reachable(): boolean;
  state(service: string): WorkerState;
  /** Workers of a service whose model is loaded, the longest living first. */
  warm(service: string): readonly Beat[];
  /** Every living process. */
  all(): readonly Beat[];
  /** Model versions that a request may name. */
  versions(service: string): readonly string[];
  depth(service: string): Depth;
  /** Webhooks that wait for their next attempt. */
  pendingDeliveries(): number;
}

const NOTHING: Depth = {
  waiting: { realtime: 0, batch: 0 },
  processing: 0,
  oldestWaitingSeconds: { realtime: 0, batch: 0 },
};

export async function keepRoster(needs: {
  workers: Workers;
  tasks: TaskStore;
  services: readonly string[];
  signal: AbortSignal;
  log: Log;
  refreshMs?: number;
}): Promise<Roster> {
  const { workers, tasks, services, signal, log } = needs;
  const depths = new Map<string, Depth>();
  const versions = new Map<string, readonly string[]>();
  let pendingDeliveries = 0;
  let beats: readonly Beat[] | undefined;

  const refresh = async () => {
    try {
      beats = await workers.living();
      pendingDeliveries = await tasks.pendingDeliveries();
      for (const service of services) {
        versions.set(service, await workers.versions(service));
        depths.set(service, await tasks.depth(service));
      }
    } catch (error) {
      beats = undefined;
      throw error;
    }
  };
  // A round that is under way when the process stops loses its connection, and nobody needs to hear of that.
  const onError = (err: unknown) => void (signal.aborted || log.warn({ err }, 'the store of tasks does not answer'));
  await refresh().catch(onError);
  void loop(refresh, { restMs: needs.refreshMs ?? 1000, maxRestMs: 2000, signal, onError });

  const warm = (service: string) => beats?.filter((beat) => beat.service === service && beat.state === 'warm') ?? [];
  return {
    reachable: () => beats !== undefined,
    state: (service) => (beats === undefined ? 'unknown' : warm(service).length > 0 ? 'warm' : 'cold'),
    warm,
    all: () => beats ?? [],
    versions: (service) => versions.get(service) ?? [],
    depth: (service) => depths.get(service) ?? NOTHING,
    pendingDeliveries: () => pendingDeliveries,
  };
}
