import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createWorker, OEM, PSM, type Worker } from 'tesseract.js';
import { createGate } from '../../../../ml/gate.ts';
import { type Engine, type LineWord, TooMuchToRead } from './engine.ts';
import type { Grey } from './grey.ts';
import { wordsOfTsv } from './tsv.ts';

/**
 * Reads with Tesseract compiled to WebAssembly, `lanes` threads of it, without any network. It knows Russian where
 * `languages` is a folder with a `rus.traineddata` (plain or .gz) that the operator put there; else it reads with what comes with its package: Kyrgyz, whose alphabet has
 * every Russian letter, and English.
 */
export async function openTesseractJs(lanes: number, languages?: string): Promise<Engine> {
  const russian = languages === undefined ? undefined : await russianIn(languages);
  const chosen = [russian === undefined ? 'kir' : 'rus', 'eng'];
  const folder = await mkdtemp(join(tmpdir(), 'assay-ocr-'));
  try {
    // It looks for all its languages in one folder, by names that end in .gz; what is not packed it takes as it is.
    for (const language of chosen) {
      const file = language === 'rus' && russian ? russian : packaged(language);
      await copyFile(file, join(folder, `${language}.traineddata.gz`));
    }
    const workers = await Promise.all(Array.from({ length: lanes }, () => startWorker(chosen, folder)));
    return engineOf(workers, chosen);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function engineOf(workers: Worker[], languages: readonly string[]): Engine {
  const lane = createGate(workers.length);
  const idle = [...workers];
  return {
    name: `tesseract.js ${languages.join('+')}`,
    read: (lines, signal) =>
      lane(async () => {
        const worker = idle.pop()!;
        try {
          const read: LineWord[][] = [];
          const latest = performance.now() + LIMIT_MS;
          for (const line of lines) {
            signal.throwIfAborted();
            if (performance.now() > latest) throw new TooMuchToRead(lines.length);
            read.push(await recognize(worker, line));
          }
          return read;
        } finally {
          idle.push(worker);
        }
      }),
    async close() {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

/** Several times what the slowest page of text takes. */
const LIMIT_MS = 180_000;

async function recognize(worker: Worker, line: Grey): Promise<LineWord[]> {
  const { data } = await worker.recognize(pgmOf(line), {}, { tsv: true, text: false });
  return wordsOfTsv(data.tsv ?? '', 1)[0]!;
}

/** A picture as binary PGM (netpbm). */
const pgmOf = ({ width, height, data }: Grey): Buffer =>
  Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), data]);

async function startWorker(languages: string[], langPath: string): Promise<Worker> {
  const worker = await createWorker(languages, OEM.LSTM_ONLY, {
    langPath,
    gzip: true,
    cacheMethod: 'none',
    // Without this it throws where nobody can catch; what fails rejects the call as well.
    errorHandler: () => {},
  });
  await worker.setParameters({ tessedit_pageseg_mode: PSM.RAW_LINE, user_defined_dpi: '300' });
  return worker;
}

async function russianIn(folder: string): Promise<string | undefined> {
  for (const name of ['rus.traineddata', 'rus.traineddata.gz']) {
    const file = join(folder, name);
    if (
      await stat(file).then(
        (it) => it.isFile(),
        () => false,
      )
    )
      return file;
  }
  return undefined;
}

function packaged(language: string): string {
  const manifest = createRequire(import.meta.url).resolve(`@tesseract.js-data/${language}/package.json`);
  return join(dirname(manifest), '4.0.0_best_int', `${language}.traineddata.gz`);
}
