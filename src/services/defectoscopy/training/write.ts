import { createHash } from 'node:crypto';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../../../base/operator-error.ts';
import { type Familiarity, UNFAMILIAR_BELOW } from '../../../ml/familiarity.ts';
import { writeFamiliarity } from '../../../ml/familiarity-json.ts';
import { type Heads, writeHeads } from '../../../ml/heads.ts';
import { isVersionName, type Manifest } from '../../../ml/manifest.ts';
import { type HeadReport, percent } from './heads.ts';
import { TrainingError } from './training-error.ts';

/** The requested version name, or the date with the next free number. Throws if the name is taken. */
export async function versionName(requested: string | undefined, roots: readonly string[], now: Date): Promise<string> {
  const isTaken = async (name: string) => {
    const found = await Promise.all(roots.map((root) => stat(join(root, name)).catch(() => undefined)));
    return found.some((place) => place !== undefined);
  };
  if (requested === undefined) {
    const date = now.toISOString().slice(0, 10);
    for (let number = 1; ; number++) if (!(await isTaken(`${date}.${number}`))) return `${date}.${number}`;
  }
  if (!isVersionName(requested)) {
    throw new OperatorError(
      `“${requested}” is not a valid version name. Use at most 64 letters, digits, dots, hyphens and underscores.`,
    );
  }
  if (await isTaken(requested))
    throw new TrainingError('VERSION_EXISTS', `Version ${requested} already exists. Choose another name.`);
  return requested;
}

export interface NewVersion {
  readonly version: string;
  readonly created: string;
  readonly base: { readonly version: string; readonly manifest: Manifest };
  readonly heads: Heads;
  readonly familiarity: Familiarity;
  readonly masters: Readonly<Record<string, readonly string[]>>;
  readonly sound: string;
  readonly threshold: number;
  /** By head; heads copied from the base have no report. */
  readonly reports: Readonly<Record<string, HeadReport>>;
  readonly images: Readonly<Record<string, number>>;
  readonly seed: number;
}

/** Installs a version of trained heads under `root`; returns its folder. */
export function writeVersion(root: string, added: NewVersion): Promise<string> {
  const files = { 'heads.json': writeHeads(added.heads), 'familiarity.json': writeFamiliarity(added.familiarity) };
  const manifest = manifestOf(added, files);
  return installVersion(root, added.version, {
    ...files,
    'manifest.json': jsonText(manifest),
    'card.md': cardOf(added),
  });
}

/** Writes `files` to a temporary folder under `root` and renames it, so that workers never see a part of a version. */
export async function installVersion(
  root: string,
  version: string,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const folder = join(root, version);
  const tempFolder = join(root, `.${version}-${process.pid}`);
  await mkdir(tempFolder, { recursive: true });
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(tempFolder, name), text);
    await rename(tempFolder, folder);
  } catch (error) {
    await rm(tempFolder, { recursive: true, force: true });
    throw error;
  }
  return folder;
}

export const jsonText = (value: object) => `${JSON.stringify(value, null, 2)}\n`;

function manifestOf(
  added: NewVersion,
  files: Readonly<Record<'heads.json' | 'familiarity.json', string>>,
): Manifest & Record<string, unknown> {
  const { base, heads, masters, sound, threshold, reports } = added;
  const defects = heads.heads['defects']!.labels.filter((name) => name !== sound);
  return {
    service: 'defectoscopy',
    version: added.version,
    created: added.created,
    input: base.manifest.input,
    files: {
      'backbone.onnx': base.manifest.files['backbone.onnx'],
      'heads.json': { sha256: sha256(files['heads.json']) },
      'familiarity.json': { sha256: sha256(files['familiarity.json']) },
    },
    taxonomy: {
      surfaces: [...heads.heads['surface']!.labels],
      masters: Object.fromEntries(Object.entries(masters).map(([master, names]) => [master, [...names]])),
      sound,
    },
    thresholds: { defects: Object.fromEntries(defects.map((name) => [name, threshold])) },
    base: {
      version: base.version,
      note: 'backbone.onnx is in the folder of this version or of any version with the same SHA-256',
    },
    metrics: Object.fromEntries(
      Object.entries(reports).map(([name, { split, images, accuracy, calibrationError }]) => [
        name,
        { split, images, accuracy: round(accuracy), calibration_error: round(calibrationError) },
      ]),
    ),
    training: { images: added.images, seed: added.seed },
  };
}

function cardOf({ version, created, base, heads, familiarity, reports, images, threshold, seed }: NewVersion): string {
  const copiedHeads = Object.keys(heads.heads).filter((name) => !(name in reports));
  const lines = [
    `# Defectoscopy model ${version}`,
    '',
    `Linear heads fitted on ${created} to custom images (${Object.entries(images)
      .map(([split, count]) => `${count} ${split}`)
      .join(', ')}; seed ${seed}),`,
    `on the features of version ${base.version}, whose backbone it shares. Defects with a confidence of at least ${threshold} are listed.`,
    ...copiedHeads.map((name) => `The head \`${name}\` is copied from version ${base.version}.`),
    '',
    'The model supports only its own classes. Other photos are assigned to the most similar class, sometimes with high confidence.',
    `Results of photos that differ from the training photos have the warning UNFAMILIAR_IMAGE (familiarity below ${UNFAMILIAR_BELOW}, measured with ${familiarity.distances.length} held-out photos).`,
  ];
  for (const [name, report] of Object.entries(reports)) {
    lines.push(
      ...['', `## ${name}`, ''],
      `Accuracy ${percent(report.accuracy)}, calibration error ${report.calibrationError.toFixed(3)}, on ${report.images} ${report.split} images${report.split === 'test' ? ' that were not used for training' : ''}.`,
      ...['', '| class | precision | recall | images |', '| --- | --- | --- | --- |'],
      ...report.classes.map(
        ({ label, precision, recall, support }) =>
          `| \`${label}\` | ${percent(precision)} | ${percent(recall)} | ${support} |`,
      ),
    );
  }
  return `${lines.join('\n')}\n`;
}

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
export const round = (value: number) => Number(value.toFixed(4));
