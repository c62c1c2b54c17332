import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { OperatorError } from '../../../base/operator-error.ts';
import { fitFamiliarity, pickRows } from '../../../ml/fit-familiarity.ts';
import { type Heads, parseHeads } from '../../../ml/heads.ts';
import { listingThreshold } from '../../../ml/metrics.ts';
import { type InstalledVersion, openModelDirectory, readVerifiedFile } from '../../../ml/model-directory.ts';
import { openSession } from '../../../ml/session.ts';
import { newestShippedVersion, SHIPPED_MODELS_DIR, trainedModelsDir } from '../model/registry.ts';
import { datasetWarnings, groupDefects, sortClasses } from './classes.ts';
import { embed } from './features.ts';
import { readTrainingFolder, type Sample, type Split } from './folder.ts';
import { type HeadReport, predictSplit, reportLines, trainHead } from './heads.ts';
import { assignSplits } from './split.ts';
import { versionName, writeVersion } from './write.ts';

export interface TrainOptions {
  /** Images in folders named by class, or with a labels.csv. */
  readonly folder: string;
  /** Default: the date and a number. */
  readonly name?: string | undefined;
  readonly dataDir: string;
  readonly log: (line: string) => void;
  readonly onProgress?: (done: number, total: number) => void;
  readonly seed?: number;
  readonly shipped?: string;
  readonly now?: Date;
}

export interface TrainResult {
  readonly version: string;
  readonly folder: string;
  readonly reports: Readonly<Record<string, HeadReport>>;
}

/**
 * Fits linear heads to the labelled images of a folder and installs them as a new model version. Running workers detect
 * it within seconds; the default version does not change. The backbone is not trained.
 */
export async function train(options: TrainOptions): Promise<TrainResult> {
  const { dataDir, log, onProgress = () => {}, seed = 1, shipped = SHIPPED_MODELS_DIR, now = new Date() } = options;
  const root = trainedModelsDir(dataDir);
  const version = await versionName(options.name, [shipped, root], now);
  const { base, backbone, baseHeads } = await openBase(shipped);
  const { sound, masters: knownGroups } = base.manifest.taxonomy;
  // An unknown defect forms its own group.
  const groupOf = (defect: string) =>
    Object.keys(knownGroups).find((master) => knownGroups[master]!.includes(defect)) ?? defect;

  const { layout, samples: all } = await readTrainingFolder(options.folder, { sound, groupOf });
  log(`${layout}.`);
  const { samples, features, skipped } = await embedSamples(all, onProgress);
  for (const { path, why: reason } of skipped) log(`Skipped ${path}: ${reason}`);
  const defects = sortClasses(
    samples.map(({ defect }) => defect),
    baseHeads.heads['defects']!.labels,
    sound,
  );
  if (defects.length < 2) throw new OperatorError('At least two classes are required.');
  for (const warning of datasetWarnings(samples, defects, sound)) log(warning);

  const splits = assignSplits(samples, seed);
  const images = { train: 0, val: 0, test: 0 };
  for (const split of splits) images[split]++;
  if (images.train === 0) throw new OperatorError('No training images.');
  log(`${images.train} training, ${images.val} validation and ${images.test} test images.`);

  const heads = { ...baseHeads.heads };
  const reports: Record<string, HeadReport> = {};
  const trainAndReport = async (name: string, labels: readonly string[], names: readonly string[]) => {
    const data = { features, dimensions: baseHeads.features, splits, names };
    const { head, report } = await trainHead(data, labels);
    heads[name] = head;
    reports[name] = report;
    for (const line of reportLines(name, report)) log(line);
    return predictSplit(head, data, images.val > 0 ? 'val' : 'train');
  };
  const surfaces = samples.flatMap(({ surface }) => surface ?? []);
  if (surfaces.length < samples.length) log(`No surface labels: the surface head of version ${base.version} is used.`);
  else await trainAndReport('surface', sortClasses(surfaces, baseHeads.heads['surface']!.labels, ''), surfaces);
  const masters = samples.map(({ master }) => master);
  await trainAndReport('masters', sortClasses(masters, Object.keys(knownGroups), sound), masters);
  const predictions = await trainAndReport(
    'defects',
    defects,
    samples.map(({ defect }) => defect),
  );
  const threshold = listingThreshold(predictions, defects.indexOf(sound));
  const rowsOf = (split: Split) => splits.flatMap((other, i) => (other === split ? [i] : []));
  const familiarity = fitFamiliarity(features, baseHeads.features, {
    ...{ train: rowsOf('train'), val: rowsOf('val') },
    groupOf: (i) => samples[i]!.group ?? String(i),
  });

  const folder = await writeVersion(root, {
    ...{ version, base, sound, threshold, reports, images, seed },
    created: now.toISOString().slice(0, 10),
    heads: { ...baseHeads, heads },
    familiarity,
    masters: groupDefects(samples, sound),
  });
  log('');
  log(`Version ${version} is installed in ${folder}. Defects with a confidence of at least ${threshold} are listed.`);
  for (const line of usageLines(version)) log(line);
  return { version, folder, reports };

  async function embedSamples(all: readonly Sample[], onDone: (done: number, total: number) => void) {
    const session = await openSession({ path: backbone, poolSize: Math.min(4, availableParallelism()) });
    const cache = join(dataDir, 'cache', 'features', base.manifest.files['backbone.onnx'].sha256.slice(0, 16));
    const embedder = { session, input: base.manifest.input, dimensions: baseHeads.features, cache };
    try {
      const paths = all.map(({ path }) => path);
      return readable(all, await embed(paths, embedder, (done) => onDone(done, all.length)), baseHeads.features);
    } finally {
      await session.close();
    }
  }
}

export const usageLines = (version: string) => [
  `To try it, add "model_version": "${version}" to the body of POST /predict.`,
  `To make it the default: node scripts/assay.mjs models promote ${version}`,
];

/** The newest shipped version, on whose network versions are trained. */
export async function openBase(
  shipped: string,
): Promise<{ base: InstalledVersion; backbone: string; baseHeads: Heads }> {
  const models = await openModelDirectory([shipped], () => {});
  models.close();
  const base = newestShippedVersion(models, shipped);
  const { bytes } = await readVerifiedFile(base, 'heads.json');
  const { path } = await readVerifiedFile(base, 'backbone.onnx', models.versions());
  return { base, backbone: path, baseHeads: parseHeads(bytes.toString('utf8')) };
}

/** With their features [N, D], and the skipped samples. */
function readable(
  all: readonly Sample[],
  { features, unreadable }: Awaited<ReturnType<typeof embed>>,
  dimensions: number,
): { samples: Sample[]; features: Float32Array; skipped: { path: string; why: string }[] } {
  const readableIndices = all.flatMap((_, i) => (unreadable.has(i) ? [] : [i]));
  return {
    samples: readableIndices.map((i) => all[i]!),
    features: pickRows(features, dimensions, readableIndices),
    skipped: [...unreadable].map(([i, reason]) => ({ path: all[i]!.path, why: reason })),
  };
}
