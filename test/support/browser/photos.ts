import sharp from 'sharp';
import type { Job, Outcome } from '../../../src/services/shared/service.ts';
import { createFakeModel } from '../product.ts';

/** A synthetic wall with a crack, 600 × 400. Not drawn from SVG, because the product disables that loader of sharp. */
export function createWallPhoto({ orientation }: { orientation?: number } = {}): Promise<Buffer> {
  const [width, height] = [600, 400];
  const pixels = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y++) {
    const crack = 60 + y * 0.6 + 18 * Math.sin(y / 23) + 9 * Math.sin(y / 7);
    for (let x = 0; x < width; x++) {
      const grain = ((Math.imul(x + 7, 374_761_393) ^ Math.imul(y + 3, 668_265_263)) >>> 13) % 32;
      const inCrack = Math.abs(x - crack) < 2.5 + 1.5 * Math.sin(y / 11);
      pixels.fill(inCrack ? 40 + grain : 150 + grain, (y * width + x) * 3, (y * width + x) * 3 + 3);
    }
  }
  const photo = sharp(pixels, { raw: { width, height, channels: 3 } }).jpeg();
  return (orientation === undefined ? photo : photo.withMetadata({ orientation })).toBuffer();
}

const MAP = [
  [9, 5, 1, 0, 0, 0, 0],
  [8, 8, 2, 0, 0, 0, 0],
  [3, 8, 7, 1, 0, 0, 0],
  [1, 5, 8, 3, 0, 0, 0],
  [0, 1, 5, 5, 1, 0, 0],
  [0, 0, 1, 4, 2, 0, 0],
  [0, 0, 0, 2, 1, 0, 0],
];
const toBytes = (map: number[][]) => Buffer.from(map.flat().map((value) => Math.round((value / 9) * 255)));

const maps = {
  crack: toBytes(MAP).toString('base64'),
  cracking: toBytes(MAP).toString('base64'),
  chip: toBytes(MAP.map((row) => row.toReversed()).toReversed()).toString('base64'),
  sound: toBytes(MAP.map((row) => row.map(() => 0))).toString('base64'),
};

export const CRACK_OUTCOME: Outcome = {
  result: {
    surface: 'concrete_wall',
    masters: [
      { name: 'cracking', conf: 0.8812 },
      { name: 'mechanical', conf: 0.0731 },
      { name: 'sound', conf: 0.0457 },
    ],
    defects: [
      { name: 'crack', conf: 0.8415 },
      { name: 'chip', conf: 0.061 },
    ],
    model_version: '1.0.0',
  },
  attachment: { width: 7, height: 7, maps },
};

export const REGIONS_OUTCOME: Outcome = {
  ...CRACK_OUTCOME,
  result: {
    ...(CRACK_OUTCOME.result as object),
    regions: [
      { box: [0.1, 0.1, 0.3, 0.4], defect: 'crack', confidence: 0.97 },
      { box: [0.7, 0.6, 0.8, 0.9], defect: 'chip', confidence: 0.95 },
    ],
  },
};

export const UNFAMILIAR_OUTCOME: Outcome = {
  ...CRACK_OUTCOME,
  result: { ...(CRACK_OUTCOME.result as object), familiarity: 0.0013, warnings: ['UNFAMILIAR_IMAGE'] },
};

export const NO_DEFECTS_OUTCOME: Outcome = {
  result: { ...(CRACK_OUTCOME.result as object), masters: [{ name: 'sound', conf: 1 }], defects: [] },
  attachment: { width: 7, height: 7, maps },
};

/** A model that holds each photo until `release` provides the outcome. */
export function createBlockedModel() {
  let release: (outcome: Outcome | Error) => void = () => {};
  const run = ({ signal }: Job) =>
    new Promise<Outcome>((resolve, reject) => {
      release = (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome));
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  return { model: createFakeModel({ run }), release: (outcome: Outcome | Error) => release(outcome) };
}
