import { describe, expect, test } from 'vitest';
import { doubtfulTiles, findRegions, joinMaps, type TileScores, tileConfidences } from './regions.ts';
import { cutCloser, cutTiles, tileBatches } from './tiles.ts';

const TILE = { width: 8, height: 8 };
const PHOTO = { width: 32, height: 20 };
const tiles = tileBatches(PHOTO, TILE).flat();
const LABELS = ['crack', 'stain', 'sound'];

/** Sound tiles, except those of `logits` by index; their maps are hot in the upper left of 2 × 2 cells. */
const scoresOf = (logits: Readonly<Record<number, number[]>>): TileScores => ({
  labels: LABELS,
  logits: tiles.map((_, i) => Float64Array.from(logits[i] ?? [-6, -6, 6])),
  maps: tiles.map(() => Uint8Array.from([255, 0, 0, 0, /**/ 255, 0, 0, 0, /**/ 0, 0, 0, 0])),
});
const regionsOf = (scores: TileScores) => findRegions(tiles, scores, tileConfidences(scores, 'sound'), PHOTO);
const at = (x: number, y: number) => tiles.findIndex((tile) => tile.x === x && tile.y === y);

describe('tiles', () => {
  test('overlap by a quarter, cover the photo and end with it', () => {
    expect([...new Set(tiles.map(({ x }) => x))]).toEqual([0, 6, 12, 18, 24]);
    expect([...new Set(tiles.map(({ y }) => y))]).toEqual([0, 6, 12]);
    expect(tileBatches(TILE, TILE)).toEqual([[{ x: 0, y: 0, ...TILE }]]);
    expect(Math.max(...tileBatches(PHOTO, TILE).map(({ length }) => length))).toBe(4);
  });

  test('are cut from the pixels of the photo', () => {
    const pixels = Uint8Array.from({ length: PHOTO.width * PHOTO.height * 3 }, (_, i) => i % 251);
    const { dims, data } = cutTiles({ pixels, ...PHOTO }, [tiles[0]!, tiles[at(24, 12)]!]);
    expect(dims).toEqual([2, 8, 8, 3]);
    expect([...data.subarray(0, 24)]).toEqual([...pixels.subarray(0, 24)]);
    const last = ((12 + 7) * PHOTO.width + 24) * 3;
    expect([...data.subarray(-24)]).toEqual([...pixels.subarray(last, last + 24)]);
  });

  test('are seen closer: the middle 13 of 16 pixels, with its mirror images', async () => {
    const [size, photo] = [
      { width: 16, height: 16 },
      { width: 24, height: 20 },
    ];
    const lit = { x: 7, y: 5 };
    const pixels = new Uint8Array(photo.width * photo.height * 3);
    pixels.fill(255, (lit.y * photo.width + lit.x) * 3, (lit.y * photo.width + lit.x + 1) * 3);
    const { dims, data } = await cutCloser({ pixels, ...photo }, { x: 4, y: 2, ...size });
    expect(dims).toEqual([4, 16, 16, 3]);
    const brightest = [0, 1, 2, 3].map((n) => {
      const view = [...data.subarray(n * 768, (n + 1) * 768)] as number[];
      const index = Math.floor(view.indexOf(Math.max(...view)) / 3);
      return [index % 16, Math.floor(index / 16)];
    });
    expect(brightest).toEqual([
      [3, 3],
      [12, 3],
      [3, 12],
      [12, 12],
    ]);
  });
});

test('doubtfulTiles: from a confidence of 0.2 on, the most confident ones first, at most 20 or a sixteenth', () => {
  const confidences = Array.from({ length: 30 }, (_, i) => Float64Array.of(i / 29, 0));
  expect(doubtfulTiles(confidences)).toEqual({
    closer: Array.from({ length: 20 }, (_, n) => 29 - n),
    once: [9, 8, 7, 6],
  });
  expect(doubtfulTiles(confidences.slice(0, 8))).toEqual({ closer: [7, 6], once: [] });
  expect(doubtfulTiles(Array.from({ length: 1344 }, () => Float64Array.of(1))).closer).toHaveLength(84);
});

describe('findRegions', () => {
  test('returns nothing for a sound photo, nor for a texture that the whole photo has', () => {
    expect(regionsOf(scoresOf({}))).toEqual([]);
    const crackedBy = (logit: number) => Object.fromEntries(tiles.map((_, i) => [i, [logit, -6, 1]]));
    expect(regionsOf(scoresOf(crackedBy(0)))).toEqual([]);
    expect(regionsOf(scoresOf(crackedBy(30)))).toEqual([]);
  });

  test('joins overlapping tiles with the same defect, and reports other defects and places on their own', () => {
    const crack = [6, -6, -6];
    const stain = [-6, 5, -6];
    const regions = regionsOf(
      scoresOf({ [at(0, 0)]: crack, [at(6, 0)]: crack, [at(24, 0)]: crack, [at(0, 12)]: stain }),
    );
    expect(regions.map(({ defect, box }) => ({ defect, box }))).toEqual(
      expect.arrayContaining([
        { defect: 'crack', box: [0, 0, 0.3125, 0.2] },
        { defect: 'crack', box: [0.75, 0, 0.875, 0.2] },
        { defect: 'stain', box: [0, 0.6, 0.125, 0.8] },
      ]),
    );
    expect(regions).toHaveLength(3);
    const confidences = regions.map(({ confidence }) => confidence);
    expect(confidences.every((confidence) => confidence > 0.5 && confidence <= 1)).toBe(true);
    expect(confidences).toEqual(confidences.toSorted((a, b) => b - a));
  });
});

test('a doubtful tile that was not seen closer needs a higher confidence', () => {
  const confidences = tiles.map((_, i) => Float64Array.of(i === at(0, 0) ? 0.7 : 0, 0, 0));
  const count = (seenOnce: readonly number[]) =>
    findRegions(tiles, { ...scoresOf({}), seenOnce: new Set(seenOnce) }, confidences, PHOTO).length;
  expect([count([]), count([at(0, 0)])]).toEqual([1, 0]);
});

test('joinMaps shows the strongest tile of each place from a confidence of 0.1 on, and at most 128 cells a side', () => {
  // The stain has a confidence of 0.01.
  const scores = scoresOf({ [at(6, 6)]: [6, -18, -6], [at(24, 0)]: [-6, -4, 6] });
  const { width, height, maps } = joinMaps(tiles, scores, tileConfidences(scores, 'sound'), PHOTO);
  expect([width, height]).toEqual([8, 5]);
  const hot = [...maps['crack']!.entries()].flatMap(([cell, value]) => (value > 127 ? [cell] : []));
  // The cell from 4 to 8 has its centre between 6 and 10.
  expect(hot).toEqual([1 * 8 + 1]);
  expect(maps['stain']!.every((value) => value === 0)).toBe(true);
  const strip = { width: 4000, height: 8 };
  const strips = tileBatches(strip, TILE).flat();
  const sound = {
    labels: LABELS,
    logits: strips.map(() => Float64Array.of(-6, -6, 6)),
    maps: strips.map(() => new Uint8Array(12)),
  };
  expect(joinMaps(strips, sound, tileConfidences(sound, 'sound'), strip)).toMatchObject({ width: 128, height: 1 });
});
