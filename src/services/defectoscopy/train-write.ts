import { createHash } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Heads, writeHeads } from '../../ml/heads.ts';
import type { Manifest } from '../../ml/manifest.ts';
import type { HeadReport } from './train-heads.ts';
import { percent } from './train-report.ts';

/** A model version about to be installed. */
export interface NewVersion {
  readonly version: string;
  readonly created: string;
  /** The version whose backbone it uses. */
  readonly base: { readonly version: string; readonly manifest: Manifest };
  readonly heads: Heads;
  readonly masters: Readonly<Record<string, readonly string[]>>;
  readonly sound: string;
  readonly threshold: number;
  /** By head; a head that was taken over from the base has none. */
  readonly reports: Readonly<Record<string, HeadReport>>;
  /** How many images each split has. */
  readonly images: Readonly<Record<string, number>>;
  readonly seed: number;
}

/** Installs a version under `root`: a draft is renamed into place, so a worker sees all of it or nothing. */
export async function writeVersion(root: string, made: NewVersion): Promise<string> {
  const place = join(root, made.version);
  const draft = join(root, `.${made.version}-${process.pid}`);
  await mkdir(draft, { recursive: true });
  try {
    const heads = writeHeads(made.heads);
    const manifest = manifestOf(made, createHash('sha256').update(heads).digest('hex'));
    await writeFile(join(draft, 'heads.json'), heads);
    await writeFile(join(draft, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    await writeFile(join(draft, 'card.md'), cardOf(made));
    await rename(draft, place);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
  return place;
}

function manifestOf(made: NewVersion, headsSha256: string): Manifest & Record<string, unknown> {
  const { base, heads, masters, sound, threshold, reports } = made;
  const defects = heads.heads['defects']!.labels.filter((name) => name !== sound);
  return {
    service: 'defectoscopy',
    version: made.version,
    created: made.created,
    input: base.manifest.input,
    files: { 'backbone.onnx': base.manifest.files['backbone.onnx'], 'heads.json': { sha256: headsSha256 } },
    taxonomy: {
      masters: Object.fromEntries(Object.entries(masters).map(([master, names]) => [master, [...names]])),
      sound,
    },
    thresholds: { defects: Object.fromEntries(defects.map((name) => [name, threshold])) },
    base: {
      version: base.version,
      note: 'backbone.onnx lies with this version, or with any that names the same bytes',
    },
    metrics: Object.fromEntries(
      Object.entries(reports).map(([name, { split, images, accuracy, calibrationError }]) => [
        name,
        { split, images, accuracy: round(accuracy), calibration_error: round(calibrationError) },
      ]),
    ),
    training: { images: made.images, seed: made.seed },
  };
}

function cardOf({ version, created, base, heads, reports, images, threshold, seed }: NewVersion): string {
  const kept = Object.keys(heads.heads).filter((name) => !(name in reports));
  const lines = [
    `# Defectoscopy model ${version}`,
    '',
    `Linear heads fitted on ${created} to your own images (${Object.entries(images)
      .map(([split, count]) => `${count} ${split}`)
      .join(', ')}; seed ${seed}),`,
    `on the features of version ${base.version}, whose backbone it shares. A defect is listed from a confidence of ${threshold}.`,
    ...kept.map((name) => `The head \`${name}\` is that of version ${base.version}.`),
    '',
    'It knows only its classes: a photo of anything else gets the nearest of them, at times with confidence.',
  ];
  for (const [name, report] of Object.entries(reports)) {
    lines.push(
      ...['', `## ${name}`, ''],
      `${percent(report.accuracy)} right, calibration error ${report.calibrationError.toFixed(3)}, on ${report.images} ${report.split} images${report.split === 'test' ? ' that took no part in the training' : ''}.`,
      ...['', '| class | precision | recall | images |', '| --- | --- | --- | --- |'],
      ...report.classes.map(
        ({ label, precision, recall, support }) =>
          `| \`${label}\` | ${percent(precision)} | ${percent(recall)} | ${support} |`,
      ),
    );
  }
  return `${lines.join('\n')}\n`;
}

const round = (value: number) => Number(value.toFixed(4));
