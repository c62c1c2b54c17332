import type { JsonObject } from '../../../base/json.ts';
import type { WorkerRegistry } from '../../../tasks/worker-registry.ts';
import type { Heartbeat } from '../../../tasks/workers.ts';

/** Public, so without names and hosts. */
export interface WorkerSnapshot {
  readonly state: Heartbeat['state'];
  /** Absent while the worker loads, or if it has no model. */
  readonly model?: string;
  readonly running?: number;
  readonly gpu?: { readonly name: string; readonly used_mb: number; readonly total_mb: number };
}

const MODEL_FIELDS = ['model_version', 'model', 'reader', 'engine'];

/** The workers of a service, oldest first. `open` includes the number of running tasks. */
export const listWorkers = (
  workerRegistry: WorkerRegistry,
  service: string,
  { open }: { open: boolean },
): WorkerSnapshot[] =>
  workerRegistry
    .allWorkers()
    .filter((beat) => beat.role === 'work' && beat.service === service)
    .map(({ state, info }) => {
      const model = MODEL_FIELDS.flatMap((field) => asText(info[field])).join(' · ');
      const { running } = info;
      const gpu = gpuOf(info['gpu'] as JsonObject | undefined);
      return {
        state,
        ...(model !== '' && { model }),
        ...(open && typeof running === 'number' && { running }),
        ...(gpu && { gpu }),
      };
    });

const asText = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? [String(value)] : []);

function gpuOf(gpu: JsonObject | undefined): WorkerSnapshot['gpu'] {
  const { name, vram_used_mb: used, vram_total_mb: total } = gpu ?? {};
  if (typeof name !== 'string' || typeof used !== 'number' || typeof total !== 'number' || total <= 0) return undefined;
  return { name, used_mb: used, total_mb: total };
}
