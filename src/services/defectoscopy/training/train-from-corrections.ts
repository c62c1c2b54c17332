import type { Queryable } from '../../../base/db.ts';
import { OperatorError } from '../../../base/operator-error.ts';
import { fitChange, foldChange, type HeadPhotos, predictPhotos } from '../../../ml/adapt-head.ts';
import type { Head } from '../../../ml/classifier.ts';
import type { Familiarity } from '../../../ml/familiarity.ts';
import { parseFamiliarity } from '../../../ml/familiarity-json.ts';
import { readVerifiedFile } from '../../../ml/model-directory.ts';
import { joinRows, parseReplay } from '../../../ml/replay.ts';
import type { Labels } from '../corrections/correction.ts';
import { MIN_HELD_BACK, MIN_TRAINING } from '../corrections/minimum.ts';
import { SHIPPED_MODELS_DIR, trainedModelsDir } from '../model/registry.ts';
import { compare, comparisonTable } from './comparison.ts';
import { readTrainingPhotos, type TrainingPhoto } from './corrected-photos.ts';
import { openBase, usageLines } from './train.ts';
import { TrainingError } from './training-error.ts';
import { installVersion, versionName } from './write.ts';
import { type CorrectedVersion, correctedVersionFiles, type HeadComparison } from './write-corrected.ts';

export interface CorrectionTrainOptions {
  readonly db: Queryable;
  /** Default: the date and a number. */
  readonly name?: string | undefined;
  readonly dataDir: string;
  readonly log: (line: string) => void;
  /** Counts the corrected photos that were read. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Counts the trained heads. */
  readonly onHead?: (done: number, total: number) => void;
  readonly shipped?: string;
  readonly now?: Date;
}

export interface CorrectionTrainResult {
  readonly version: string;
  readonly folder: string;
  /** By head. */
  readonly comparisons: Readonly<Record<string, HeadComparison>>;
}

/** Trains a version and installs it. */
export async function trainFromCorrections(options: CorrectionTrainOptions): Promise<CorrectionTrainResult> {
  const { dataDir, log } = options;
  const { version, comparisons, files } = await fitCorrections(options);
  const folder = await installVersion(trainedModelsDir(dataDir), version, files);
  log('');
  log(`Version ${version} is installed in ${folder}.`);
  for (const line of usageLines(version)) log(line);
  return { version, folder, comparisons };
}

/**
 * Fits a change of the shipped heads to the corrections of reviewers, with the figures of both on held-back corrections
 * and on the shipped test photos. Blocks the event loop for seconds.
 */
export async function fitCorrections(
  options: CorrectionTrainOptions,
): Promise<CorrectedVersion & { readonly files: Readonly<Record<string, string>> }> {
  const { db, dataDir, log, onProgress = () => {}, onHead, shipped = SHIPPED_MODELS_DIR, now = new Date() } = options;
  const root = trainedModelsDir(dataDir);
  const version = await versionName(options.name, [shipped, root], now);
  const { base, baseHeads } = await openBase(shipped);
  const read = async (name: 'familiarity.json' | 'replay.json') =>
    (await readVerifiedFile(base, name)).bytes.toString('utf8');
  const readStatistics = async () => ({
    familiarity: parseFamiliarity(await read('familiarity.json'), baseHeads.features),
    ...parseReplay(await read('replay.json'), baseHeads.heads),
  });
  const { familiarity, projection, known, test } = await readStatistics().catch((error: Error) => {
    throw new OperatorError(
      `Version ${base.version} cannot be trained further: ${error.message} Reinstall the package.`,
    );
  });
  const { sound } = base.manifest.taxonomy;

  const basis = {
    network: base.manifest.files['backbone.onnx'].sha256,
    ...{ heads: baseHeads.heads, projection, statistics: familiarity.statistics },
  };
  const photos = await readTrainingPhotos(db, basis, { log, onProgress });
  for (const line of unknownClasses(photos, baseHeads.heads, sound)) log(line);
  const training = photos.filter(({ isHeldBack }) => !isHeldBack);
  const heldBack = photos.filter(({ isHeldBack }) => isHeldBack);
  const defects = baseHeads.heads['defects']!;
  requirePhotos(
    headPhotos('defects', defects, training, sound).targets,
    headPhotos('defects', defects, heldBack, sound).targets,
    defects,
  );
  log(`${training.length} photos train the heads of version ${base.version}, ${heldBack.length} are held back.`);

  const heads: Record<string, Head> = {};
  const comparisons: Record<string, HeadComparison> = {};
  for (const [name, head] of Object.entries(baseHeads.heads)) {
    const old = { points: known.points, logits: known.logits[name]! };
    const change = fitChange(old, headPhotos(name, head, training, sound), projection.variances.length);
    const compareOn = (evaluated: HeadPhotos) =>
      compare(head.labels, predictPhotos(evaluated), predictPhotos(evaluated, change));
    const compared = {
      heldBack: compareOn(headPhotos(name, head, heldBack, sound)),
      test: compareOn({ points: test.points, logits: test.logits[name]!, targets: test.targets[name]! }),
    };
    heads[name] = foldChange(head, change, projection);
    comparisons[name] = compared;
    log('');
    log(`${name}, held-back corrections:`);
    for (const line of comparisonTable(compared.heldBack)) log(line);
    log(`${name}, test photos of version ${base.version}:`);
    for (const line of comparisonTable(compared.test)) log(line);
    onHead?.(Object.keys(heads).length, Object.keys(baseHeads.heads).length);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }

  const fitted = {
    ...{ version, base, comparisons, heads: { ...baseHeads, heads } },
    created: now.toISOString().slice(0, 10),
    familiarity: withDistances(familiarity, training),
    photos: { training: training.length, held_back: heldBack.length },
  };
  return { ...fitted, files: correctedVersionFiles(fitted) };
}

/** The photos whose class the head knows. */
function headPhotos(name: string, head: Head, photos: readonly TrainingPhoto[], sound: string): HeadPhotos {
  const known = photos.flatMap(({ labels, point, logits }) => {
    const target = head.labels.indexOf(labelOf(name, labels, sound) ?? '');
    return target < 0 ? [] : [{ point, logits: logits[name]!, target }];
  });
  return {
    points: joinRows(known.map(({ point }) => point)),
    logits: joinRows(known.map(({ logits }) => logits)),
    targets: known.map(({ target }) => target),
  };
}

/** Undefined if the reviewer confirmed a group with a defect but no defect. */
function labelOf(head: string, { surface, master, defects }: Labels, sound: string): string | undefined {
  if (head === 'surface') return surface;
  if (head === 'masters') return master;
  return defects[0] ?? (master === sound ? sound : undefined);
}

/** Versions trained on folders have other classes. */
function unknownClasses(
  photos: readonly TrainingPhoto[],
  heads: Readonly<Record<string, Head>>,
  sound: string,
): string[] {
  return Object.entries(heads).flatMap(([name, { labels }]) => {
    const counts = new Map<string, number>();
    for (const photo of photos) {
      const label = labelOf(name, photo.labels, sound);
      if (label !== undefined && !labels.includes(label)) counts.set(label, (counts.get(label) ?? 0) + 1);
    }
    if (counts.size === 0) return [];
    const list = [...counts].sort().map(([label, count]) => `${label} (${count})`);
    return [
      `Not used for the head ${name}: photos of classes that it does not have: ${list.join(', ')}. Train these with \`node scripts/assay.mjs train FOLDER\`.`,
    ];
  });
}

function requirePhotos(training: ArrayLike<number>, heldBack: ArrayLike<number>, { labels }: Head): void {
  if (training.length < MIN_TRAINING || heldBack.length < MIN_HELD_BACK)
    throw new TrainingError(
      'TOO_FEW_CORRECTIONS',
      `Too few corrections: ${training.length} photos for training and ${heldBack.length} held back to compare the versions. At least ${MIN_TRAINING} and ${MIN_HELD_BACK} are needed, about ${MIN_TRAINING + MIN_HELD_BACK + 5} corrected or confirmed photos.`,
    );
  const classes = new Set(Array.from(training));
  if (classes.size < 2)
    throw new TrainingError(
      'ONE_CLASS',
      `All ${training.length} photos for training have the class ${labels[training[0]!]}. At least two classes are needed: confirm results of other classes as well.`,
    );
}

/** Photos like the corrected ones are familiar to the new version. */
function withDistances({ statistics, distances }: Familiarity, photos: readonly TrainingPhoto[]): Familiarity {
  return { statistics, distances: Float32Array.from([...distances, ...photos.map(({ distance }) => distance)]).sort() };
}
