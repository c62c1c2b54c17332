import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pLimit from 'p-limit';
import { decodePhoto } from '../../../ml/image.ts';
import type { Session } from '../../../ml/session.ts';

export interface Embedder {
  readonly session: Session;
  readonly input: { readonly width: number; readonly height: number };
  /** D. */
  readonly dimensions: number;
  /** The feature cache of this backbone. */
  readonly cache: string;
}

export interface EmbeddingResult {
  /** [N, D], row by row; zeros for unreadable images. */
  readonly features: Float32Array;
  readonly unreadable: ReadonlyMap<number, string>;
}

/** One image is decoded while another is computed. */
const CONCURRENCY = 4;

/** The features of the images at `paths`, cached by content hash. */
export async function embed(
  paths: readonly string[],
  embedder: Embedder,
  onDone: (done: number) => void,
): Promise<EmbeddingResult> {
  const { dimensions } = embedder;
  const features = new Float32Array(paths.length * dimensions);
  const unreadable = new Map<number, string>();
  let done = 0;
  await pLimit(CONCURRENCY).map(paths, async (path, i) => {
    try {
      features.set(await featuresOf(path, embedder, `${process.pid}-${i}`), i * dimensions);
    } catch (error) {
      unreadable.set(i, error instanceof Error ? error.message : String(error));
    }
    onDone(++done);
  });
  return { features, unreadable };
}

async function featuresOf(path: string, embedder: Embedder, tempSuffix: string): Promise<Float32Array> {
  const { session, input, dimensions, cache } = embedder;
  const bytes = await readFile(path);
  const key = createHash('sha256').update(bytes).digest('hex');
  const cachePath = join(cache, key.slice(0, 2), `${key}.f32`);
  const cached = await readFile(cachePath).catch(() => undefined);
  // A file truncated by a crash has another length and is rewritten.
  if (cached?.length === dimensions * 4) return new Float32Array(new Uint8Array(cached).buffer);

  const { pixels } = await decodePhoto(bytes, input);
  const dims = [1, input.height, input.width, 3];
  const { features } = await session.run({ image: { type: 'uint8', dims, data: pixels } });
  const values = features!.data as Float32Array;
  await mkdir(dirname(cachePath), { recursive: true });
  // Two copies of an image may be written at the same time.
  const tempPath = `${cachePath}.${tempSuffix}`;
  await writeFile(tempPath, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  await rename(tempPath, cachePath);
  return values;
}
