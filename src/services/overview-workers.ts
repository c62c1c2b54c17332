import type { JsonObject } from '../base/json.ts';
import type { Roster } from '../tasks/roster.ts';
import type { Beat } from '../tasks/workers.ts';

/** A worker as anybody may see it: no name, no host. */
export interface WorkerSeen {
  readonly state: Beat['state'];
  /** What it works with, as its service calls that; absent while it loads, and where there is no model. */
  readonly model?: string;
  /** Tasks that it works on now. */
  readonly running?: number;
  readonly gpu?: { readonly name: string; readonly used_mb: number; readonly total_mb: number };
}

/** The words of a heartbeat that name the model; a service uses those that fit it. */
const MODEL_WORDS = ['model_version', 'model', 'reader', 'engine'];

/** The workers of a service, the longest living first. `open`: how busy they are, too. */
export const workersOf = (roster: Roster, service: string, { open }: { open: boolean }): WorkerSeen[] =>
  roster
    .all()
    .filter((beat) => beat.role === 'work' && beat.service === service)
    .map(({ state, info }) => {
      const model = MODEL_WORDS.flatMap((word) => textOf(info[word])).join(' · ');
      const { running } = info;
      const gpu = gpuOf(info['gpu'] as JsonObject | undefined);
      return {
        state,
        ...(model !== '' && { model }),
        ...(open && typeof running === 'number' && { running }),
        ...(gpu && { gpu }),
      };
    });

const textOf = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? [String(value)] : []);

/** Undefined for a worker that computes without one. */
function gpuOf(gpu: JsonObject | undefined): WorkerSeen['gpu'] {
  const { name, vram_used_mb: used, vram_total_mb: total } = gpu ?? {};
  if (typeof name !== 'string' || typeof used !== 'number' || typeof total !== 'number' || total <= 0) return undefined;
  return { name, used_mb: used, total_mb: total };
}
