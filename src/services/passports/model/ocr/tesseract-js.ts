import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createWorker, OEM, PSM, type Worker } from 'tesseract.js';
import { createPool } from '../../../../ml/pool.ts';
import type { GrayImage } from './grayscale.ts';
import { type LineWord, OcrTimeout, type Recognize, type TextEngine } from './ocr-engine.ts';
import { parseTsv } from './tsv.ts';

/** Opens Tesseract for WebAssembly, by default with the Kyrgyz model, whose alphabet includes all Russian letters. */
export async function openTesseractJs(concurrency: number, languages?: string): Promise<TextEngine> {
  const russian = languages === undefined ? undefined : await findRussianModel(languages);
  const models = [russian === undefined ? 'kir' : 'rus', 'eng'];
  const folder = await mkdtemp(join(tmpdir(), 'assay-ocr-'));
  try {
    // Expects all models in one folder, named .gz; accepts uncompressed content.
    for (const language of models) {
      const file = language === 'rus' && russian ? russian : packagedModel(language);
      await copyFile(file, join(folder, `${language}.traineddata.gz`));
    }
    const workers = await Promise.all(Array.from({ length: concurrency }, () => startWorker(models, folder)));
    return createEngine(workers, models);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function createEngine(workers: Worker[], languages: readonly string[]): TextEngine {
  const withWorker = createPool(workers);
  const loaded = new Map(workers.map((worker) => [worker, languages]));
  const recognizeIn =
    (models: readonly string[]): Recognize =>
    (lines, signal) =>
      withWorker(async (worker) => {
        const read: LineWord[][] = [];
        const deadline = performance.now() + TIMEOUT_MS;
        for (const line of lines) {
          signal.throwIfAborted();
          if (performance.now() > deadline) throw new OcrTimeout(lines.length);
          if (loaded.get(worker) !== models) {
            await initialize(worker, models);
            loaded.set(worker, models);
          }
          read.push(await recognize(worker, line));
        }
        return read;
      });
  return {
    name: `tesseract.js ${languages.join('+')}`,
    recognize: recognizeIn(languages),
    recognizeEnglish: recognizeIn(['eng']),
    async close() {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

/** Several times that of the slowest page. */
const TIMEOUT_MS = 180_000;

async function recognize(worker: Worker, line: GrayImage): Promise<LineWord[]> {
  const { data } = await worker.recognize(encodePgm(line), {}, { tsv: true, text: false });
  return parseTsv(data.tsv ?? '', 1)[0]!;
}

const encodePgm = ({ width, height, data }: GrayImage): Buffer =>
  Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), data]);

async function startWorker(languages: string[], langPath: string): Promise<Worker> {
  const worker = await createWorker(languages, OEM.LSTM_ONLY, {
    langPath,
    gzip: true,
    cacheMethod: 'none',
    // Prevents an uncaught exception; the call rejects as well.
    errorHandler: () => {},
  });
  await worker.setParameters(PARAMETERS);
  return worker;
}

const PARAMETERS = { tessedit_pageseg_mode: PSM.RAW_LINE, user_defined_dpi: '300' };

/** Selects among the loaded models; takes about 0.1 s. */
async function initialize(worker: Worker, languages: readonly string[]): Promise<void> {
  await worker.reinitialize(languages.join('+'));
  await worker.setParameters(PARAMETERS);
}

async function findRussianModel(folder: string): Promise<string | undefined> {
  for (const name of ['rus.traineddata', 'rus.traineddata.gz']) {
    const file = join(folder, name);
    if ((await stat(file).catch(() => undefined))?.isFile()) return file;
  }
  return undefined;
}

function packagedModel(language: string): string {
  const manifest = createRequire(import.meta.url).resolve(`@tesseract.js-data/${language}/package.json`);
  return join(dirname(manifest), '4.0.0_best_int', `${language}.traineddata.gz`);
}
