import { type Familiarity, UNFAMILIAR_BELOW } from '../../../ml/familiarity.ts';
import { writeFamiliarity } from '../../../ml/familiarity-json.ts';
import { type Heads, writeHeads } from '../../../ml/heads.ts';
import type { Manifest } from '../../../ml/manifest.ts';
import type { InstalledVersion } from '../../../ml/model-directory.ts';
import { type Comparison, comparisonTable, type Figures } from './comparison.ts';
import { jsonText, round, sha256 } from './write.ts';

/** The base version and the new one, on corrections that were not used for training and on the base's test photos. */
export interface HeadComparison {
  readonly heldBack: Comparison;
  readonly test: Comparison;
}

export interface CorrectedVersion {
  readonly version: string;
  readonly created: string;
  readonly base: InstalledVersion;
  readonly heads: Heads;
  readonly familiarity: Familiarity;
  readonly photos: { readonly training: number; readonly held_back: number };
  readonly comparisons: Readonly<Record<string, HeadComparison>>;
}

/** The files of a version whose heads were trained from corrections, by name. */
export function correctedVersionFiles(added: CorrectedVersion): Record<string, string> {
  const { version, created, base, heads, familiarity, photos, comparisons } = added;
  const files = { 'heads.json': writeHeads(heads), 'familiarity.json': writeFamiliarity(familiarity) };
  const figuresOf = ({ accuracy, calibrationError }: Figures) => ({
    accuracy: round(accuracy),
    calibration_error: round(calibrationError),
  });
  const byHead = <T>(figures: (comparison: HeadComparison) => T) =>
    Object.fromEntries(Object.entries(comparisons).map(([name, comparison]) => [name, figures(comparison)]));
  const manifest: Manifest & Record<string, unknown> = {
    service: 'defectoscopy',
    version,
    created,
    input: base.manifest.input,
    files: {
      'backbone.onnx': base.manifest.files['backbone.onnx'],
      'heads.json': { sha256: sha256(files['heads.json']) },
      'familiarity.json': { sha256: sha256(files['familiarity.json']) },
    },
    taxonomy: base.manifest.taxonomy,
    thresholds: base.manifest.thresholds,
    base: { version: base.version },
    metrics: byHead(({ test }) => ({ split: 'test', images: test.images, ...figuresOf(test.after) })),
    corrections: {
      ...photos,
      figures: byHead(({ heldBack, test }) => ({
        ...(heldBack.images > 0 && {
          held_back: {
            images: heldBack.images,
            before: figuresOf(heldBack.before),
            after: figuresOf(heldBack.after),
          },
        }),
        test: { images: test.images, before: figuresOf(test.before), after: figuresOf(test.after) },
      })),
    },
  };
  const card = [
    `# Defectoscopy model ${version}`,
    '',
    `The heads of version ${base.version}, changed on ${created} by the corrections of ${photos.training} photos, on the same network. Classes and`,
    `thresholds are those of version ${base.version}. ${photos.held_back} corrected photos were not used for training. Results of photos that differ from the`,
    `photos of both trainings have the warning UNFAMILIAR_IMAGE (familiarity below ${UNFAMILIAR_BELOW}).`,
    ...Object.entries(comparisons).flatMap(([name, { heldBack, test }]) => [
      ...['', `## ${name}`, '', 'Held-back corrections:', '', ...comparisonTable(heldBack)],
      ...['', `Test photos of version ${base.version}:`, '', ...comparisonTable(test)],
    ]),
  ].join('\n');
  return { ...files, 'manifest.json': jsonText(manifest), 'card.md': `${card}\n` };
}
