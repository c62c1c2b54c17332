// Photos of whole walls and slabs for `regions.mjs`: mosaics of sound tiles of one photo, with cracks of the same surface pasted in.
import sharp from 'sharp';

/** Of a labelled tile, and the overlap over which neighbouring tiles are blended. */
const TILE = 256;
const BLEND = 64;
const SETS = ['sdnet2018', 'brick-crack', 'wall-crack-types'];

/** Sound tiles by photo and cracked tiles by surface, of one split of the labelled images. */
export function sources(rows, split) {
  const inSplit = rows.filter((row) => row.split === split && SETS.includes(row.set));
  const photos = groupBy(inSplit, ({ group }) => group);
  const sound = [...photos.values()]
    .map((tiles) => tiles.filter(({ master }) => master === 'sound'))
    .filter((tiles) => tiles.length > 0);
  return { sound, cracks: inSplit.filter(({ master }) => master === 'cracking') };
}

function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

/** Mulberry32. */
export function createRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * A JPEG of `megapixels` (4:3) with the tiles of one photo, mirrored at random, enlarged as a camera with more pixels than
 * 12 megapixels would; `cracks` are pasted at places of their own. Returns their boxes, 0..1.
 */
export async function composeScene({ tiles, cracks, megapixels, random }) {
  const scale = Math.max(1, Math.sqrt(megapixels / 12));
  const side = Math.round(TILE * scale);
  const blend = Math.round(BLEND * scale);
  const width = Math.round(Math.sqrt((megapixels * 1e6 * 4) / 3));
  const height = Math.round((width * 3) / 4);
  const scene = { pixels: new Uint8Array(width * height * 3), width, height };
  const sound = await Promise.all(tiles.map((tile) => readVariants(tile.path, side)));
  const pitch = side - blend;
  // In one light: the edges between sun and shadow would be those of the mosaic.
  const light = [0, 1, 2].map((c) => sound.reduce((sum, [{ means }]) => sum + means[c], 0) / sound.length);
  for (let y = 0; y < height; y += pitch) {
    for (let x = 0; x < width; x += pitch) {
      const variants = sound[Math.floor(random() * sound.length)];
      const tile = variants[Math.floor(random() * variants.length)];
      blendTile(scene, tile, {
        ...{ x, y, side, gain: tile.means.map((mean, c) => light[c] / mean) },
        alpha: (i, j) => Math.min(1, x === 0 ? 1 : i / blend, y === 0 ? 1 : j / blend),
      });
    }
  }
  const boxes = [];
  for (const crack of cracks) {
    const at = freePlace(boxes, { width, height, side, random });
    const [original] = await readVariants(crack.path, side);
    const edge = blend / 2;
    const gain = channelMeans(scene, at, side).map((mean, c) => mean / original.means[c]);
    blendTile(scene, original, {
      ...{ ...at, side, gain },
      alpha: (i, j) => Math.min(1, i / edge, j / edge, (side - 1 - i) / edge, (side - 1 - j) / edge),
    });
    boxes.push({ ...at, side, crack });
  }
  const jpeg = await sharp(scene.pixels, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 92 })
    .toBuffer();
  const normalized = boxes.map(({ x, y, crack }) => ({
    box: [x / width, y / height, (x + side) / width, (y + side) / height],
    crack,
  }));
  return { jpeg, width, height, cracks: normalized };
}

/** The tile and its mirror images. */
async function readVariants(path, side) {
  const image = () => sharp(path).resize(side, side, { fit: 'fill' }).removeAlpha().toColourspace('srgb');
  const variants = [image(), image().flop(), image().flip(), image().flip().flop()];
  return Promise.all(
    variants.map(async (variant) => {
      const pixels = await variant.raw().toBuffer();
      return { pixels, means: channelMeans({ pixels, width: side }, { x: 0, y: 0 }, side) };
    }),
  );
}

function channelMeans({ pixels, width }, { x, y }, side) {
  const sums = [0, 0, 0];
  for (let j = 0; j < side; j++) {
    for (let i = 0; i < side; i++) {
      const at = ((y + j) * width + x + i) * 3;
      for (let c = 0; c < 3; c++) sums[c] += pixels[at + c];
    }
  }
  return sums.map((sum) => Math.max(1, sum / (side * side)));
}

function blendTile({ pixels, width, height }, tile, { x, y, side, alpha, gain }) {
  for (let j = 0; j < side && y + j < height; j++) {
    for (let i = 0; i < side && x + i < width; i++) {
      const [to, from, a] = [((y + j) * width + x + i) * 3, (j * side + i) * 3, alpha(i, j)];
      for (let c = 0; c < 3; c++) {
        const value = Math.min(255, tile.pixels[from + c] * gain[c]);
        pixels[to + c] = Math.round(pixels[to + c] * (1 - a) + value * a);
      }
    }
  }
}

/** Two tiles away from the others, so that each crack is a region of its own. */
function freePlace(taken, { width, height, side, random }) {
  for (;;) {
    const place = { x: Math.floor(random() * (width - side)), y: Math.floor(random() * (height - side)) };
    const isFree = taken.every(({ x, y }) => Math.max(Math.abs(x - place.x), Math.abs(y - place.y)) > 3 * side);
    if (isFree) return place;
  }
}
