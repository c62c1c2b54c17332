import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Queryable } from '../../src/base/db.ts';
import { packVector } from '../../src/ml/compact-vector.ts';
import { parseHeads } from '../../src/ml/heads.ts';
import { parseReplay } from '../../src/ml/replay.ts';
import type { Labels } from '../../src/services/defectoscopy/corrections/correction.ts';
import { SHIPPED_MODELS_DIR } from '../../src/services/defectoscopy/model/registry.ts';

export const SOUND: Labels = { surface: 'brick_wall', master: 'sound', defects: [] };
export const CRACK: Labels = { surface: 'brick_wall', master: 'cracking', defects: ['crack'] };

const read = (name: string) => readFileSync(join(SHIPPED_MODELS_DIR, '1.0.0', name), 'utf8');
const network: string = JSON.parse(read('manifest.json')).files['backbone.onnx'].sha256;
export const heads = parseHeads(read('heads.json'));
export const replay = parseReplay(read('replay.json'), heads.heads);

export interface Added {
  readonly id: string;
  readonly features: Float32Array | null;
  readonly labels: Labels;
  readonly network?: string;
  readonly at?: string;
  /** An earlier correction of the photo. */
  readonly earlier?: Labels;
}

export async function addCorrections(db: Queryable, photos: readonly Added[]): Promise<void> {
  for (const { id, features, labels, network: of = network, at = '2026-03-01', earlier } of photos) {
    const versions = earlier ? [earlier, labels] : [labels];
    await db.query(
      `insert into defectoscopy_corrected_photos (task_id, model_version, network, features, version, corrected_at)
       values ($1, '1.0.0', $2, $3, $4, $5)`,
      [id, features && of, features && packVector(features), versions.length, at],
    );
    for (const [i, { surface, master, defects }] of versions.entries())
      await db.query(
        `insert into defectoscopy_corrections (task_id, version, surface, master, defects, confirmed, actor)
         values ($1, $2, $3, $4, $5, false, 'reviewer')`,
        [id, i + 1, surface, master, defects],
      );
  }
}

/** The features of a photo with these coordinates. */
export function featuresAt(point: ArrayLike<number>): Float32Array {
  const { mean, scale, components, variances } = replay.projection;
  return mean.map((value, d) => {
    let sum = 0;
    for (let k = 0; k < variances.length; k++)
      sum += point[k]! * Math.sqrt(variances[k]!) * components[k * mean.length + d]!;
    return value + scale[d]! * sum;
  });
}

/** Different photos with these labels. */
export const photos = (count: number, labels: Labels, name = 'photo') =>
  Array.from({ length: count }, (_, n) => ({
    id: `${name}-${n}`,
    features: featuresAt(Array.from({ length: replay.projection.variances.length }, (_, d) => Math.sin(n * 7 + d))),
    labels,
  }));
