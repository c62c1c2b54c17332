import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { decodePhoto } from '../../ml/image.ts';
import type { Session } from '../../ml/session.ts';

export interface Embedder {
  readonly session: Session;
  readonly input: { readonly width: number; readonly height: number };
  /** D: how many features there are. */
  readonly dimensions: number;
  /** A folder for features that were computed once; of one backbone only. */
  readonly cache: string;
}

export interface Embedded {
  /** Row by row [N, D]; the row of an image that could not be read stays 0. */
  readonly features: Float32Array;
  /** The images that could not be read, and why. */
  readonly unreadable: ReadonlyMap<number, string>;
}

/** Images at once: one is decoded while another is computed. */
const AT_ONCE = 4;

/** The features of the images at `paths`; each image is computed once, whatever its name and however often it is asked for. */
export async function embed(
  paths: readonly string[],
  embedder: Embedder,
  onDone: (done: number) => void,
): Promise<Embedded> {
  const { dimensions } = embedder;
  const features = new Float32Array(paths.length * dimensions);
  const unreadable = new Map<number, string>();
  let next = 0;
  let done = 0;
  const lane = async () => {
    while (next < paths.length) {
      const i = next++;
      try {
        features.set(await featuresOf(paths[i]!, embedder, `${process.pid}-${i}`), i * dimensions);
      } catch (error) {
        unreadable.set(i, error instanceof Error ? error.message : String(error));
      }
      onDone(++done);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return { features, unreadable };
}

async function featuresOf(path: string, embedder: Embedder, draftName: string): Promise<Float32Array> {
  const { session, input, dimensions, cache } = embedder;
  const bytes = await readFile(path);
  const key = createHash('sha256').update(bytes).digest('hex');
  const kept = join(cache, key.slice(0, 2), `${key}.f32`);
  const known = await readFile(kept).catch(() => undefined);
  // A file that was cut off by a crash has another length, and is written anew.
  if (known?.length === dimensions * 4) return new Float32Array(new Uint8Array(known).buffer);

  const { pixels } = await decodePhoto(bytes, input);
  const dims = [1, input.height, input.width, 3];
  const { features } = await session.run({ image: { type: 'uint8', dims, data: pixels } });
  const values = features!.data as Float32Array;
  await mkdir(dirname(kept), { recursive: true });
  // Two names of one image may be at this line at once.
  const draft = `${kept}.${draftName}`;
  await writeFile(draft, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  await rename(draft, kept);
  return values;
}
