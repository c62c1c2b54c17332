import { parentPort, workerData } from 'node:worker_threads';
import type { HeifImage } from 'libheif-js/wasm-bundle.js';

/** What the thread is started with. */
export interface HeicOptions {
  readonly file: Uint8Array;
  readonly maxPixels: number;
}

/** What it answers: the upright pixels of a HEIC photo, 4 bytes each; or why there are none. */
export type Heic =
  | { readonly rgba: Uint8Array; readonly width: number; readonly height: number }
  | { readonly problem: HeicProblem };
export type HeicProblem = 'no_hevc' | 'corrupt' | 'too_large' | 'too_slow';

const { file, maxPixels } = workerData as HeicOptions;
const fail = (problem: HeicProblem) => parentPort!.postMessage({ problem } satisfies Heic);

// A photo of 48 megapixels takes 0.4 GiB; a file that wants more gets no memory, which its decoder calls an error.
const MAX_MEMORY_BYTES = 2 ** 30;
const PAGE_BYTES = 2 ** 16;
const { grow } = WebAssembly.Memory.prototype;
WebAssembly.Memory.prototype.grow = function (pages) {
  if (this.buffer.byteLength + pages * PAGE_BYTES > MAX_MEMORY_BYTES) throw new RangeError('The photo needs too much.');
  return grow.call(this, pages);
};
// The library prints what it thinks of a broken file.
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
  parentPort!.postMessage({ rgba, width, height } satisfies Heic, [rgba.buffer]);
}
