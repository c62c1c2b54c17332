import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type Added,
  addCorrections as addTo,
  CRACK,
  featuresAt,
  heads,
  photos,
  replay,
  SOUND,
} from '../../../../test/support/corrected-photos.ts';
import { type TestDatabase, testDatabase } from '../../../../test/support/database.ts';
import { createRandom } from '../../../base/random.ts';
import { classify } from '../../../ml/classifier.ts';
import { type Heads, parseHeads } from '../../../ml/heads.ts';
import { openModelDirectory } from '../../../ml/model-directory.ts';
import { argmax } from '../../../ml/tensor.ts';
import { describeVersion } from '../model/describe-version.ts';
import { SHIPPED_MODELS_DIR, trainedModelsDir } from '../model/registry.ts';
import { type CorrectionTrainOptions, trainFromCorrections } from './train-from-corrections.ts';

// The fits take seconds of computation.
vi.setConfig({ testTimeout: 120_000 });

let database: TestDatabase;
let dataDir: string;
let output: string[];

beforeAll(async () => {
  database = await testDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'assay-corrections-'));
  return async () => {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  };
});
beforeEach(async () => {
  output = [];
  await database.db.query('delete from defectoscopy_corrected_photos');
});

const train = (options: Partial<CorrectionTrainOptions> = {}) =>
  trainFromCorrections({ db: database.db, dataDir, log: (line) => output.push(line), ...options });
const addCorrections = (added: readonly Added[]) => addTo(database.db, added);

/** The smallest change of coordinates that raises the logit of sound by 8 over that of crack. */
function crackToSound(): number[] {
  const { mean, scale, components, variances } = replay.projection;
  const { labels, weights, temperature } = heads.heads['defects']!;
  const [sound, crack] = ['sound', 'crack'].map((name) => labels.indexOf(name) * mean.length) as [number, number];
  const slopes = Array.from(variances, (variance, k) => {
    let slope = 0;
    for (let d = 0; d < mean.length; d++)
      slope += (weights[sound + d]! - weights[crack + d]!) * scale[d]! * components[k * mean.length + d]!;
    return (slope * Math.sqrt(variance)) / temperature;
  });
  const squares = slopes.reduce((sum, slope) => sum + slope * slope, 0);
  return slopes.map((slope) => (8 * slope) / squares);
}

/** Cracked and sound brick walls of the test photos, as a camera would show them that hides cracks from the network. */
function shiftedPhotos(): Added[] {
  const { test, projection } = replay;
  const dimensions = projection.variances.length;
  const random = createRandom(3);
  const towardsSound = crackToSound();
  const shift = towardsSound.map((value) => value + (random() < 0.5 ? -0.8 : 0.8));
  const labelsOf = (n: number, head: string) => heads.heads[head]!.labels[test.targets[head]![n]!]!;
  return Array.from({ length: test.count }, (_, n) => n).flatMap((n) => {
    if (labelsOf(n, 'surface') !== 'brick_wall') return [];
    const point = Array.from({ length: dimensions }, (_, d) => test.points[n * dimensions + d]! + shift[d]!);
    return [
      { id: `task-${n}`, features: featuresAt(point), labels: labelsOf(n, 'defects') === 'crack' ? CRACK : SOUND },
    ];
  });
}

describe('assay train --from-corrections', () => {
  it('learns a shifted domain and keeps the results of the shipped test photos', async () => {
    const shifted = shiftedPhotos();
    // An earlier correction of a photo does not count.
    await addCorrections(shifted.map((photo) => ({ ...photo, earlier: photo.labels === SOUND ? CRACK : SOUND })));
    const progress: number[] = [];
    const { version, folder, comparisons } = await train({
      now: new Date('2026-03-04T12:00:00Z'),
      onProgress: (done, total) => progress.push(done / total),
    });
    expect(version).toBe('2026-03-04.1');
    expect(progress.at(-1)).toBe(1);
    const { heldBack, test } = comparisons['defects']!;
    expect(heldBack.before.accuracy).toBeLessThan(0.8);
    expect(heldBack.after.accuracy).toBeGreaterThan(heldBack.before.accuracy + 0.15);
    expect(test.images).toBe(1263);
    expect(test.before.accuracy).toBeCloseTo(0.859, 3);
    expect(test.after.accuracy).toBeGreaterThan(test.before.accuracy - 0.005);

    // The folded heads of the installed version classify the photos as measured.
    const installed = parseHeads(await readFile(join(folder, 'heads.json'), 'utf8'));
    const right = (of: Heads) =>
      shifted.filter(({ features, labels }) => {
        const { labels: classes } = of.heads['defects']!;
        return classes[argmax(classify(of.heads['defects']!, features!))] === (labels.defects[0] ?? 'sound');
      }).length;
    expect(right(installed)).toBeGreaterThan(right(heads) + 0.15 * shifted.length);

    const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
    expect(manifest.base).toEqual({ version: '1.0.0' });
    expect(manifest.corrections.training + manifest.corrections.held_back).toBe(shifted.length);
    expect(manifest.corrections.figures.defects.test.images).toBe(1263);
    expect(await readFile(join(folder, 'card.md'), 'utf8')).toMatch(/\| crack +\|/);
    expect(output.join('\n')).toMatch(/defects, held-back corrections:\n\| class +\| recall before \|/);

    const directory = await openModelDirectory([SHIPPED_MODELS_DIR, trainedModelsDir(dataDir)], () => {});
    directory.close();
    const found = directory.versions().find((each) => each.version === version)!;
    expect(describeVersion(found).details).toMatchObject({
      kind: 'classes',
      familiarity: true,
      figures: { defects: { split: 'test', images: 1263 }, surface: { images: 1263 } },
    });
  });

  it('reports the photos and the classes that it cannot use', async () => {
    const [first, ...others] = photos(12, SOUND);
    await addCorrections([
      ...[first!, ...others],
      { ...first!, id: 'same-photo', labels: CRACK, at: '2026-03-02' },
      { ...first!, id: 'same-photo-again', labels: SOUND, at: '2026-02-01' },
      ...photos(14, { surface: 'roof', master: 'growth', defects: ['moss'] }, 'moss').slice(12),
      { id: 'other-network', features: new Float32Array([1, 2]), labels: SOUND, network: 'a'.repeat(64) },
      { id: 'anomaly', features: null, labels: SOUND },
    ]);
    await expect(train()).rejects.toThrow(/Too few corrections: \d+ photos for training and \d+ held back/);
    expect(output).toEqual([
      'Corrected photos: 18.',
      'Not used: 1 whose features are of another network.',
      'Not used: 1 of versions that store no features.',
      'Not used: 2 repetitions of a photo, 2 with other classes. The latest correction counts.',
      'Not used for the head surface: photos of classes that it does not have: roof (2). Train these with `node scripts/assay.mjs train FOLDER`.',
      'Not used for the head masters: photos of classes that it does not have: growth (2). Train these with `node scripts/assay.mjs train FOLDER`.',
      'Not used for the head defects: photos of classes that it does not have: moss (2). Train these with `node scripts/assay.mjs train FOLDER`.',
    ]);
  });

  it('rejects a database without corrections, and corrections of a single class', async () => {
    await expect(train()).rejects.toThrow('At least 20 and 5 are needed');
    await addCorrections(photos(60, CRACK));
    await expect(train()).rejects.toThrow('have the class crack. At least two classes are needed');
  });

  it('rejects the name of an existing version before it reads corrections', async () => {
    await expect(train({ name: '1.0.0' })).rejects.toThrow('Version 1.0.0 already exists');
    expect(output).toEqual([]);
  });
});
