import { createHash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Head } from '../../../src/ml/classifier.ts';
import { writeHeads } from '../../../src/ml/heads.ts';
import type { Manifest } from '../../../src/ml/manifest.ts';
import { colourNetwork } from './onnx.ts';

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');

export function colourHead(classes: Record<string, [number, number, number]>, sharpness = 20): Head {
  const labels = Object.keys(classes);
  const weights = Float32Array.from(Object.values(classes).flat(), (weight) => weight * sharpness);
  return { labels, weights, bias: new Float32Array(labels.length), temperature: 1 };
}

/** Red is a crack on a wall, green a stain on a floor, blue is sound. */
export const COLOURS = {
  surface: colourHead({ wall: [1, 0, 0.5], floor: [0, 1, 0.5] }),
  masters: colourHead({ cracking: [1, 0, 0], contamination: [0, 1, 0], sound: [0, 0, 1] }),
  defects: colourHead({ crack: [1, 0, 0], stain: [0, 1, 0], sound: [0, 0, 1] }),
};

/** Installs a version like production: writes a draft folder and renames it. */
export async function installColours(
  root: string,
  version: string,
  { heads = COLOURS, backbone = true, size = 32, white = 1, manifest = {} as Partial<Manifest> } = {},
): Promise<string> {
  const network = colourNetwork({ size, white });
  const text = writeHeads({ features: 3, mapChannels: 3, heads });
  const draft = join(root, `.${version}`);
  await mkdir(draft, { recursive: true });
  if (backbone) await writeFile(join(draft, 'backbone.onnx'), network);
  await writeFile(join(draft, 'heads.json'), text);
  const value: Manifest = {
    version,
    input: { type: 'uint8', layout: 'NHWC', colour: 'RGB', width: size, height: size },
    files: { 'backbone.onnx': { sha256: sha256(network) }, 'heads.json': { sha256: sha256(text) } },
    taxonomy: { masters: { cracking: ['crack'], contamination: ['stain'], sound: [] }, sound: 'sound' },
    thresholds: { defects: { crack: 0.4, stain: 0.4 } },
    ...manifest,
  };
  await writeFile(join(draft, 'manifest.json'), JSON.stringify(value));
  await rename(draft, join(root, version));
  return join(root, version);
}
