import type { Queryable } from '../../../base/db.ts';
import type { Log } from '../../../base/log.ts';
import { withTimeLimit } from '../../../base/time-limit.ts';
import { createTimeShare } from '../../../base/time-share.ts';
import { decodePhoto } from '../../../ml/image.ts';
import { createShadowTally } from '../deployments/shadow-tally.ts';
import type { Recorded } from '../result.ts';
import { infer, type ModelVersion, sharesRuns } from './model-version.ts';

/** Share of the time for photos that a shadow with another network computes again, one at a time. */
const OWN_RUN_SHARE = 0.1;
/** As for a task. */
const RUN_LIMIT_MS = 60_000;

/** Compares a shadow version with answers; nothing of it reaches a task. */
export function createShadow({ db, log }: { db: Queryable; log: Log }) {
  const tally = createShadowTally();
  const ownRuns = createTimeShare(OWN_RUN_SHARE, { leastMs: 0, mostMs: 60_000 });

  const add = (taskId: string, shadow: ModelVersion, shadowLabel: string, { defects, model_version }: Recorded) =>
    tally.add({
      ...{ taskId, shadowVersion: shadow.version, defaultVersion: model_version },
      ...{ shadowLabel, defaultLabel: defects[0]?.name ?? '' },
    });

  return {
    add,
    /** Whether a photo is due that a shadow with a network of its own computes again. */
    isDue: (version: ModelVersion, shadow: ModelVersion) => !sharesRuns(version, shadow) && ownRuns.isDue(),
    /** In the background. */
    compare(taskId: string, shadow: ModelVersion, bytes: Buffer, answer: Recorded): void {
      if (!ownRuns.isDue()) return;
      const run = async (signal: AbortSignal) => {
        // Not as a step of the task.
        const { recorded } = await infer(shadow, await decodePhoto(bytes, shadow.input, signal), signal);
        add(taskId, shadow, recorded.defects[0]?.name ?? '', answer);
      };
      ownRuns
        .spend(() => withTimeLimit(RUN_LIMIT_MS, undefined, run))
        .catch((err) => log.warn({ err, version: shadow.version }, 'the shadow version failed'));
    },
    write: () => tally.write(db),
  };
}
