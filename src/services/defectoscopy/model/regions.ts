import { argmax } from '../../../ml/tensor.ts';
import type { Region } from '../result.ts';
import type { Tile } from './tiles.ts';

/** What a head returns for the tiles of a photo. */
export interface TileScores {
  readonly labels: readonly string[];
  /** [tiles][classes], calibrated. */
  readonly logits: readonly Float64Array[];
  /** [tiles][classes, cells]: activation maps, 0..255. */
  readonly maps: readonly Uint8Array[];
  /** Doubtful tiles that were not seen closer, because the photo has too many. */
  readonly seenOnce?: ReadonlySet<number>;
}

/**
 * Logistic regression of "the tile shows the defect" on {@link tileEvidence}, and the least confidence of a region: at most one
 * false region in ten photos. From `node bench/regions.mjs DATA_FOLDER --fit` (validation split); the coefficients are from before
 * tiles were seen closer.
 */
const CONFIDENCE = { logit: 0.28, deviation: 0.7, bias: -4.44 };
const LEAST_CONFIDENCE = 0.4;
/** Of tiles that were not seen closer. */
const LEAST_CONFIDENCE_SEEN_ONCE = 0.8;
/** Least confidence of a doubtful tile. */
const LEAST_DOUBTFUL = 0.2;
/** Most doubtful tiles of a photo of `tiles`, which bounds the time: four views of each are a quarter more for 12 megapixels. */
const mostDoubtful = (tiles: number) => Math.max(20, tiles / 16);
/** Logits vary by less on a uniform surface, where a difference means nothing. */
const LEAST_SPREAD = 0.5;
/** A higher logit is no stronger evidence, so that a texture of the whole photo is no defect however high its logits are. */
const MOST_LOGIT = 6;
/** A region has the cells of its tiles' activation maps from here on. */
const HOT = 0.4 * 255;

/**
 * [tiles][classes] Confidence of each class against the sound class alone, so that one defect does not lower another; 0 for
 * the sound class. A texture that the whole photo has is no defect.
 */
export function tileConfidences(scores: TileScores, sound: string): Float64Array[] {
  const { labels, logits } = scores;
  const confidences = logits.map(() => new Float64Array(labels.length));
  for (const [k, label] of labels.entries()) {
    if (label === sound) continue;
    tileEvidence(scores, sound, k).forEach(([logit, deviation], i) => {
      const sum = CONFIDENCE.logit * logit + CONFIDENCE.deviation * deviation + CONFIDENCE.bias;
      confidences[i]![k] = 1 / (1 + Math.exp(-sum));
    });
  }
  return confidences;
}

/** Indices of the tiles to see closer, most confident first, and of those that are too many for it. */
export function doubtfulTiles(confidences: readonly Float64Array[]): { closer: number[]; once: number[] } {
  const highest = confidences.map((tile) => Math.max(...tile));
  const doubtful = [...highest.keys()].filter((i) => highest[i]! >= LEAST_DOUBTFUL);
  doubtful.sort((a, b) => highest[b]! - highest[a]!);
  const most = Math.floor(mostDoubtful(confidences.length));
  return { closer: doubtful.slice(0, most), once: doubtful.slice(most) };
}

/** Per tile, the class's logit against the sound class, and its deviation from the photo in robust standard deviations. */
export function tileEvidence({ labels, logits }: TileScores, sound: string, k: number): [number, number][] {
  const soundAt = labels.indexOf(sound);
  const values = logits.map((tile) => tile[k]! - tile[soundAt]!);
  const middle = median(values);
  const spread = Math.max(LEAST_SPREAD, 1.4826 * median(values.map((value) => Math.abs(value - middle))));
  return values.map((value) => [Math.min(MOST_LOGIT, value), (value - middle) / spread]);
}

function median(values: readonly number[]): number {
  return Float64Array.from(values).sort()[values.length >> 1]!;
}

/** Overlapping tiles with the same strongest defect are one region. Most confident first. */
export function findRegions(
  tiles: readonly Tile[],
  { labels, maps, seenOnce }: TileScores,
  confidences: readonly Float64Array[],
  photo: { readonly width: number; readonly height: number },
  least = LEAST_CONFIDENCE,
): Region[] {
  const strongest = confidences.map(argmax);
  const confidenceOf = (i: number) => confidences[i]![strongest[i]!]!;
  const leastOf = (i: number) => (seenOnce?.has(i) ? Math.max(least, LEAST_CONFIDENCE_SEEN_ONCE) : least);
  const left = new Set([...tiles.keys()].filter((i) => confidenceOf(i) >= leastOf(i)));
  const regions: Region[] = [];
  for (const first of left) {
    const k = strongest[first]!;
    const group = [first];
    for (const i of group) {
      left.delete(i);
      for (const j of left) {
        if (strongest[j] !== k || !overlap(tiles[i]!, tiles[j]!)) continue;
        left.delete(j);
        group.push(j);
      }
    }
    const boxes = group.map((i) => hotBox(tiles[i]!, classMap(maps[i]!, k, labels.length)));
    const box: Region['box'] = [
      Math.min(...boxes.map(([x0]) => x0)) / photo.width,
      Math.min(...boxes.map(([, y0]) => y0)) / photo.height,
      Math.max(...boxes.map(([, , x1]) => x1)) / photo.width,
      Math.max(...boxes.map(([, , , y1]) => y1)) / photo.height,
    ];
    const confidence = Math.max(...group.map(confidenceOf));
    regions.push({ box: box.map(round) as never, defect: labels[k]!, confidence: round(confidence) });
  }
  return regions.sort((a, b) => b.confidence - a.confidence);
}

const round = (share: number) => Math.round(share * 1e4) / 1e4;

const overlap = (a: Tile, b: Tile) => Math.abs(a.x - b.x) < a.width && Math.abs(a.y - b.y) < a.height;

const classMap = (maps: Uint8Array, k: number, classes: number) =>
  maps.subarray((k * maps.length) / classes, ((k + 1) * maps.length) / classes);

/** Pixels of the photo as [x0, y0, x1, y1]; the whole tile without a map. */
function hotBox({ x, y, width, height }: Tile, map: Uint8Array): Region['box'] {
  const side = Math.sqrt(map.length);
  const hot = [...map.keys()].filter((at) => map[at]! >= HOT);
  if (hot.length === 0) return [x, y, x + width, y + height];
  const columns = hot.map((at) => at % side);
  const rows = hot.map((at) => Math.floor(at / side));
  return [
    x + (Math.min(...columns) * width) / side,
    y + (Math.min(...rows) * height) / side,
    x + ((Math.max(...columns) + 1) * width) / side,
    y + ((Math.max(...rows) + 1) * height) / side,
  ];
}

/** Longest side of a heatmap in cells: larger ones would be slow to send and no clearer on a screen. */
const MAX_CELLS = 128;
/** Tiles of lower confidence are 0 in a heatmap, so that it compresses: it is stored with the result and in the catalog. */
const LEAST_MAPPED = 0.1;

/** Maps of all classes over the photo, as bytes: where tiles overlap, the strongest confidence times activation. */
export function joinMaps(
  tiles: readonly Tile[],
  { labels, maps }: TileScores,
  confidences: readonly Float64Array[],
  photo: { readonly width: number; readonly height: number },
) {
  const side = Math.sqrt(maps[0]!.length / labels.length);
  const cell = Math.max(tiles[0]!.width / side, photo.width / MAX_CELLS, photo.height / MAX_CELLS);
  const [width, height] = [Math.ceil(photo.width / cell), Math.ceil(photo.height / cell)];
  const joined = labels.map(() => new Uint8Array(width * height));
  tiles.forEach((tile, i) => {
    const right = Math.min(width, (tile.x + tile.width) / cell);
    const bottom = Math.min(height, (tile.y + tile.height) / cell);
    labels.forEach((_, k) => {
      const map = classMap(maps[i]!, k, labels.length);
      const confidence = confidences[i]![k]!;
      if (confidence < LEAST_MAPPED) return;
      for (let row = Math.floor(tile.y / cell); row < bottom; row++) {
        for (let column = Math.floor(tile.x / cell); column < right; column++) {
          const inTile = (at: number, from: number, length: number) =>
            Math.max(0, Math.min(side - 1, Math.floor((((at + 0.5) * cell - from) / length) * side)));
          const value = map[inTile(row, tile.y, tile.height) * side + inTile(column, tile.x, tile.width)]!;
          const at = row * width + column;
          joined[k]![at] = Math.max(joined[k]![at]!, Math.round(confidence * value));
        }
      }
    });
  });
  return { width, height, maps: Object.fromEntries(labels.map((name, k) => [name, joined[k]!])) };
}
