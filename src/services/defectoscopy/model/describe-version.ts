import type { Static } from 'typebox';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { JsonObject } from '../../../base/json.ts';
import type { InstalledVersion } from '../../../ml/model-directory.ts';
import type { AdvertisedVersion } from '../../../tasks/workers.ts';
import { ModelDetails } from '../api-schema.ts';

/** What gateways list of an installed version: its classes, and the figures of its card. */
export function describeVersion({ version, manifest }: InstalledVersion): AdvertisedVersion {
  const { created, files, taxonomy, metrics } = manifest;
  const details: Static<typeof ModelDetails> = {
    ...(created !== undefined && { created }),
    kind: files['patches.json'] ? 'anomaly' : 'classes',
    familiarity: files['familiarity.json'] !== undefined,
    surfaces: taxonomy.surfaces ?? [],
    masters: taxonomy.masters,
    sound: taxonomy.sound,
    figures: figuresOf(metrics),
  };
  return { version, details: details as unknown as JsonObject };
}

/** The metrics of a shipped version, which are grouped by split, or of a trained one. Other metrics are not shown. */
function figuresOf(metrics: unknown): Static<typeof Figures> {
  if (Value.Check(BySplit, metrics)) {
    const { images, ...heads } = metrics.test;
    return Object.fromEntries(
      Object.entries(heads).map(([name, figures]) => [name, { split: 'test', images, ...figures }]),
    );
  }
  return Value.Check(Figures, metrics) ? (Value.Clean(Figures, Value.Clone(metrics)) as Static<typeof Figures>) : {};
}

const Figures = ModelDetails.properties.figures;
const Measured = Type.Object({ accuracy: Type.Number(), calibration_error: Type.Number() });
const BySplit = Type.Object({
  test: Type.Object({ images: Type.Integer(), surface: Measured, masters: Measured, defects: Measured }),
});
