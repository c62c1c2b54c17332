import sharp from 'sharp';
import type { Photo } from '../../../ml/image.ts';
import type { Tensor } from '../../../ml/tensor.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Tile extends Size {
  /** Upper left corner in pixels of the photo. */
  readonly x: number;
  readonly y: number;
}

/** A quarter of each tile is shared with its neighbour: a crack at an edge is in the middle of another tile. */
const STEP = 0.75;
/** Tiles per run of the network: how long another photo can wait for a thread, and what a GPU computes at once. */
const BATCH = 4;

/** Overlapping tiles over the whole photo, by row, in batches. */
export function tileBatches(photo: Size, { width, height }: Size): Tile[][] {
  const columns = positions(photo.width, width);
  const tiles = positions(photo.height, height).flatMap((y) => columns.map((x) => ({ x, y, width, height })));
  const count = Math.ceil(tiles.length / BATCH);
  return Array.from({ length: count }, (_, i) => tiles.slice(i * BATCH, (i + 1) * BATCH));
}

/** The last tile ends with the photo. */
function positions(length: number, tile: number): number[] {
  const step = Math.floor(tile * STEP);
  const count = Math.ceil((length - tile) / step) + 1;
  return Array.from({ length: count }, (_, i) => Math.min(i * step, length - tile));
}

/** The pixels of tiles of one size, in a buffer of its own. */
export function cutTiles({ pixels, width: row }: Photo, tiles: readonly Tile[]): Tensor {
  const { width, height } = tiles[0]!;
  const line = width * 3;
  const data = new Uint8Array(tiles.length * height * line);
  tiles.forEach(({ x, y }, i) => {
    for (let j = 0; j < height; j++) {
      const from = ((y + j) * row + x) * 3;
      data.set(pixels.subarray(from, from + line), (i * height + j) * line);
    }
  });
  return { type: 'uint8', dims: [tiles.length, height, width, 3], data };
}

/** Share of a tile's sides that {@link cutCloser} shows. */
const CLOSER = 13 / 16;

/** The middle of a tile, enlarged to the size of the tile, and its mirror images. */
export async function cutCloser(photo: Photo, { x, y, width, height }: Tile): Promise<Tensor> {
  const [across, down] = [Math.round(width * CLOSER), Math.round(height * CLOSER)];
  const middle = { x: x + ((width - across) >> 1), y: y + ((height - down) >> 1), width: across, height: down };
  const raw = { width: across, height: down, channels: 3 } as const;
  const image = sharp(cutTiles(photo, [middle]).data as Uint8Array, { raw }).resize(width, height, { fit: 'fill' });
  const views = [image, image.clone().flop(), image.clone().flip(), image.clone().flip().flop()];
  const data = Uint8Array.from(Buffer.concat(await Promise.all(views.map((view) => view.raw().toBuffer()))));
  return { type: 'uint8', dims: [views.length, height, width, 3], data };
}
