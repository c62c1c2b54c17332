import { type Static, Type } from 'typebox';
import { fromBase64, toBase64 } from './float-base64.ts';
import { parseJson } from './parse-json.ts';
import type { AnomalyDetector } from './patches.ts';

const SpreadJson = Type.Object({ mean: Type.Number(), deviation: Type.Number({ exclusiveMinimum: 0 }) });
const PatchesJson = Type.Object({
  format: Type.Literal(1),
  channels: Type.Integer({ minimum: 1 }),
  photo: SpreadJson,
  patch: SpreadJson,
  /** Little-endian float32 as base64. */
  mean: Type.String(),
  scale: Type.String(),
  patches: Type.String(),
});

/** Parses `patches.json`. */
export function parsePatches(text: string, channels: number): AnomalyDetector {
  const { mean, scale, patches, photo, patch } = parseJson(PatchesJson, text, 'patches.json');
  const memory = { mean: fromBase64(mean), scale: fromBase64(scale), patches: fromBase64(patches) };
  const fits = memory.mean.length === channels && memory.scale.length === channels;
  if (!fits || memory.patches.length === 0 || memory.patches.length % channels !== 0) {
    throw new Error(`patches.json: the patches must have ${channels} channels.`);
  }
  return { memory, photo, patch };
}

/** Serializes `patches.json`. */
export function writePatches({ memory, photo, patch }: AnomalyDetector): string {
  const { mean, scale, patches } = memory;
  const json: Static<typeof PatchesJson> = {
    ...{ format: 1, channels: mean.length, photo, patch },
    ...{ mean: toBase64(mean), scale: toBase64(scale), patches: toBase64(patches) },
  };
  return `${JSON.stringify(json)}\n`;
}
