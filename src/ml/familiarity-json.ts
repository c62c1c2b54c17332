import { type Static, Type } from 'typebox';
import type { Familiarity } from './familiarity.ts';
import { fromBase64, toBase64 } from './float-base64.ts';
import { parseJson } from './parse-json.ts';

// Not part of `familiarity.ts`, because inference threads compute with that and would take 0.3 s longer to load typebox.

const FamiliarityJson = Type.Object({
  format: Type.Literal(1),
  features: Type.Integer({ minimum: 1 }),
  noise: Type.Number({ exclusiveMinimum: 0 }),
  /** Little-endian float32 as base64. */
  mean: Type.String(),
  scale: Type.String(),
  components: Type.String(),
  variances: Type.String(),
  distances: Type.String(),
});

/** Parses `familiarity.json`. */
export function parseFamiliarity(text: string, features: number): Familiarity {
  const json = parseJson(FamiliarityJson, text, 'familiarity.json');
  const [mean, scale] = [fromBase64(json.mean), fromBase64(json.scale)];
  const [components, variances] = [fromBase64(json.components), fromBase64(json.variances)];
  const fits =
    json.features === features &&
    mean.length === features &&
    scale.length === features &&
    components.length === variances.length * features;
  if (!fits) throw new Error(`familiarity.json: the statistics must have ${features} features.`);
  return {
    statistics: { mean, scale, components, variances, noise: json.noise },
    distances: fromBase64(json.distances),
  };
}

/** Serializes `familiarity.json`. */
export function writeFamiliarity({ statistics, distances }: Familiarity): string {
  const { mean, scale, components, variances, noise } = statistics;
  const json: Static<typeof FamiliarityJson> = {
    ...{ format: 1, features: mean.length, noise, mean: toBase64(mean), scale: toBase64(scale) },
    ...{ components: toBase64(components), variances: toBase64(variances), distances: toBase64(distances) },
  };
  return `${JSON.stringify(json)}\n`;
}
