import { createHash } from 'node:crypto';
import type { Queryable } from '../../../base/db.ts';
import type { Head } from '../../../ml/classifier.ts';
import { unpackVector } from '../../../ml/compact-vector.ts';
import { distanceOf, type FeatureStatistics } from '../../../ml/familiarity.ts';
import { calibratedLogits, coordinatesOf, type Projection } from '../../../ml/replay.ts';
import type { Labels } from '../corrections/correction.ts';
import { countCorrectedPhotos, readCorrectedPhotos } from '../corrections/store.ts';

/** A photo with the classes that a reviewer saw on it, in the terms of a version's heads. */
export interface TrainingPhoto {
  readonly labels: Labels;
  readonly correctedAt: Date;
  /** Compares versions, and is not used for training. */
  readonly isHeldBack: boolean;
  readonly point: Float32Array;
  readonly distance: number;
  /** Calibrated, by head. */
  readonly logits: Readonly<Record<string, Float32Array>>;
}

/** A quarter of the photos. By content: the same photo is held back in every training. */
const HELD_BACK_BYTES = 64;

/** Reads the corrected photos of a network, and logs which are not used. */
export async function readTrainingPhotos(
  db: Queryable,
  version: {
    readonly network: string;
    readonly heads: Readonly<Record<string, Head>>;
    readonly projection: Projection;
    readonly statistics: FeatureStatistics;
  },
  { log, onProgress }: { log: (line: string) => void; onProgress: (done: number, total: number) => void },
): Promise<TrainingPhoto[]> {
  const { network, heads, projection, statistics } = version;
  const { usable, ofOtherNetworks, withoutFeatures } = await countCorrectedPhotos(db, network);
  log(`Corrected photos: ${usable + ofOtherNetworks + withoutFeatures}.`);
  if (ofOtherNetworks > 0) log(`Not used: ${ofOtherNetworks} whose features are of another network.`);
  if (withoutFeatures > 0) log(`Not used: ${withoutFeatures} of versions that store no features.`);

  const photos = new Map<string, TrainingPhoto>();
  let [done, repeated, contradicting] = [0, 0, 0];
  for await (const { features: packed, correctedAt, surface, master, defects } of readCorrectedPhotos(db, network)) {
    onProgress(++done, Math.max(done, usable));
    const hash = createHash('sha256').update(packed).digest();
    const labels = { surface, master, defects };
    const earlier = photos.get(hash.toString('hex'));
    if (earlier) {
      repeated++;
      if (JSON.stringify(earlier.labels) !== JSON.stringify(labels)) contradicting++;
      if (earlier.correctedAt > correctedAt) continue;
    }
    const features = unpackVector(packed);
    photos.set(hash.toString('hex'), {
      ...{ labels, correctedAt, isHeldBack: hash[0]! < HELD_BACK_BYTES },
      ...{ point: coordinatesOf(projection, features), distance: distanceOf(statistics, features) },
      logits: Object.fromEntries(Object.entries(heads).map(([name, head]) => [name, calibratedLogits(head, features)])),
    });
  }
  if (repeated > 0)
    log(
      `Not used: ${repeated} ${repeated === 1 ? 'repetition' : 'repetitions'} of a photo, ${contradicting} with other classes. The latest correction counts.`,
    );
  return [...photos.values()];
}
