import type { Log } from '../base/log.ts';
import { loop } from '../base/loop.ts';
import type { Beat, WorkerState, Workers } from './workers.ts';

/**
 * What a gateway knows of the workers, at most a second old: asked by every request, fetched by one loop.
 */
export interface Roster {
  state(service: string): WorkerState;
  /** Workers of a service whose model is loaded, the longest living first. */
  warm(service: string): Beat[];
  /** Model versions that a request may name. */
  versions(service: string): readonly string[];
  all(): Beat[];
}

export async function keepRoster(
  workers: Workers,
  options: { services: readonly string[]; signal: AbortSignal; log: Log; refreshMs?: number },
): Promise<Roster> {
  let beats: Beat[] | undefined;
  let versions = new Map<string, string[]>();
  const refresh = async () => {
    try {
      beats = await workers.living();
      versions = new Map(await Promise.all(options.services.map(async (s) => [s, await workers.versions(s)] as const)));
    } catch (error) {
      beats = undefined;
      throw error;
    }
  };
  await refresh().catch(() => {});
  void loop(refresh, {
    restMs: options.refreshMs ?? 1000,
    signal: options.signal,
    onError: (err) => options.log.debug({ err }, 'the roster of workers could not be read'),
  });
  const warm = (service: string) => beats?.filter((b) => b.service === service && b.state === 'warm') ?? [];
  return {
    state: (service) => (beats === undefined ? 'unknown' : warm(service).length > 0 ? 'warm' : 'cold'),
    warm,
    versions: (service) => versions.get(service) ?? [],
    all: () => beats ?? [],
  };
}
