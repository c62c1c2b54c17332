import { readFile } from 'node:fs/promises';
import { openSession } from '../../../../ml/session.ts';
import { bundledFile } from '../bundled-file.ts';
import { downscale, type GrayImage } from './grayscale.ts';
import { warp } from './warp.ts';

/** The text of a word image. */
export interface WordReading {
  readonly text: string;
  /** Probability of the least certain character, 0..1; 0 without text. */
  readonly confidence: number;
}

export type WordReader = Awaited<ReturnType<typeof openWordReader>>;

/**
 * Opens the network for single words (SVTR with CTC, arXiv:2205.00159; `training/passports/words`) in threads. It reads
 * Cyrillic and Latin letters, figures and punctuation from the pixels alone, while Tesseract prefers what its languages make
 * likely. Throws an OperatorError if a file is missing or damaged.
 */
export async function openWordReader(concurrency: number) {
  const [path, alphabet] = await Promise.all([bundledFile('words.onnx'), bundledFile('words.txt')]);
  const characters = ['', ...(await readFile(alphabet, 'utf8')).split('\n').slice(0, -1)];
  const session = await openSession({ path, poolSize: Math.min(MAX_THREADS, concurrency) });

  async function readBatch(images: readonly GrayImage[], width: number, signal: AbortSignal): Promise<WordReading[]> {
    const scaled = images.map(scale);
    const x = { type: 'float32', data: toInput(scaled, width), dims: [images.length, 1, HEIGHT, width] } as const;
    const { probabilities } = await session.run({ x }, signal);
    const [, steps, classes] = probabilities!.dims as [number, number, number];
    const data = probabilities!.data as Float32Array;
    return images.map((_, i) => {
      const start = i * steps * classes;
      return decode(data.subarray(start, start + steps * classes), classes, characters);
    });
  }

  return {
    /** Reads images of one word each. */
    async read(images: readonly GrayImage[], signal: AbortSignal): Promise<WordReading[]> {
      const readings: WordReading[] = [];
      const widths = images.map((image) => PADDED_WIDTHS.find((width) => width >= scaledWidth(image))!);
      for (const width of PADDED_WIDTHS) {
        const padded = [...widths.keys()].filter((i) => widths[i] === width);
        for (let start = 0; start < padded.length; start += BATCH) {
          const batch = padded.slice(start, start + BATCH);
          const read = await readBatch(
            batch.map((i) => images[i]!),
            width,
            signal,
          );
          for (const [at, i] of batch.entries()) readings[i] = read[at]!;
        }
      }
      return readings;
    },
    close: session.close,
  };
}

/** A page has hundreds of words, of one to two milliseconds each. */
const MAX_THREADS = 2;

/** Of the network's input, in pixels. */
const HEIGHT = 32;
/**
 * Images are padded to one of these widths, as in the training: attention sees the padding, so that a reading would depend on
 * the other images of its batch. A cadastral number has some 330 pixels; longer images than the last width are squeezed.
 */
const PADDED_WIDTHS = [64, 96, 128, 160, 224, 320, 448, 640];
const BATCH = 16;

const scaledWidth = ({ width, height }: GrayImage): number =>
  Math.max(1, Math.min(PADDED_WIDTHS.at(-1)!, Math.round((HEIGHT * width) / height)));

function scale(image: GrayImage): GrayImage {
  const width = scaledWidth(image);
  const source = downscale(image, Math.max(1, Math.round(image.height / HEIGHT)));
  return warp(source, [source.width / width, 0, 0, 0, source.height / HEIGHT, 0, 0, 0, 1], width, HEIGHT);
}

/** `[images, 1, HEIGHT, width]`, -1 black, 1 white, padded with white. */
function toInput(images: readonly GrayImage[], width: number): Float32Array {
  const plane = HEIGHT * width;
  const input = new Float32Array(images.length * plane).fill(1);
  for (const [i, image] of images.entries())
    for (let y = 0; y < HEIGHT; y++)
      for (let x = 0; x < image.width; x++)
        input[i * plane + y * width + x] = image.data[y * image.width + x]! / 127.5 - 1;
  return input;
}

/** Greedy CTC decoding of `[steps, classes]` probabilities; class 0 is blank. */
function decode(probabilities: Float32Array, classes: number, characters: readonly string[]): WordReading {
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
