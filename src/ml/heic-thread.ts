import { parentPort, workerData } from 'node:worker_threads';
import type { HeifImage } from 'libheif-js/wasm-bundle.js';
import { limitWasmMemory } from './wasm-memory.ts';

export interface HeicOptions {
  readonly file: Uint8Array;
  readonly maxPixels: number;
}

export type HeicResult =
  | { readonly rgba: Uint8Array; readonly width: number; readonly height: number }
  | { readonly problem: HeicProblem };
export type HeicProblem = 'no_hevc' | 'corrupt' | 'too_large' | 'too_slow';

const { file, maxPixels } = workerData as HeicOptions;
const fail = (problem: HeicProblem) => parentPort!.postMessage({ problem } satisfies HeicResult);

// 48 megapixels take 0.4 GiB of WebAssembly memory. The pixels that are returned are outside it, with 4 bytes each.
limitWasmMemory(2 ** 30);
// The library prints messages about broken files.
console.log = () => {};

const library = await import('libheif-js/wasm-bundle.js').catch(() => undefined);
if (library) await decode(new library.default.HeifDecoder().decode(file));
else fail('no_hevc');

async function decode(images: HeifImage[]): Promise<void> {
  const image = images.find((one) => one.is_primary());
  if (!image) return fail('corrupt');
  const [width, height] = [image.get_width(), image.get_height()];
  if (width * height > maxPixels) return fail('too_large');
  const target = { data: new Uint8ClampedArray(width * height * 4), width, height };
  const decoded = await new Promise((resolve) => image.display(target, resolve));
  if (!decoded) return fail('corrupt');
  const rgba = new Uint8Array(target.data.buffer);
  parentPort!.postMessage({ rgba, width, height } satisfies HeicResult, [rgba.buffer]);
}
