import { execFile, spawn } from 'node:child_process';
import pLimit from 'p-limit';
import { OcrTimeout, type Recognize, type TextEngine } from './ocr-engine.ts';
import { encodeTiff } from './tiff.ts';
import { parseTsv } from './tsv.ts';

/** In order of preference. The model of the Cyrillic script is as fast as that of Russian and makes fewer errors. */
const RUSSIAN = ['Cyrillic', 'script/Cyrillic', 'rus'];

/** Opens the installed Tesseract; undefined if it or a model for Russian is missing. */
export async function openTesseract(program: string, concurrency: number): Promise<TextEngine | undefined> {
  const installed = await installedLanguages(program);
  const russian = RUSSIAN.find((model) => installed.includes(model));
  if (russian === undefined) return undefined;
  const hasEnglish = installed.includes('eng');
  const languages = hasEnglish ? `${russian}+eng` : russian;
  const limit = pLimit(concurrency);
  const recognizeIn =
    (models: string): Recognize =>
    async (lines, signal) => {
      if (lines.length === 0) return [];
      const tsv = await limit(() => recognize(program, models, encodeTiff(lines), signal));
      if (tsv === 'timeout') throw new OcrTimeout(lines.length);
      return parseTsv(tsv, lines.length);
    };
  return {
    name: `tesseract ${languages}`,
    recognize: recognizeIn(languages),
    ...(hasEnglish && { recognizeEnglish: recognizeIn('eng') }),
    close: async () => {},
  };
}

function installedLanguages(program: string): Promise<string[]> {
  return new Promise((resolve) => {
    execFile(program, ['--list-langs'], { timeout: 10_000, env: environment() }, (error, stdout) => {
      resolve(error ? [] : stdout.split('\n').map((line) => line.trim()));
    });
  });
}

/** A page of dense text takes 4 s on a slow core. */
const TIMEOUT_MS = 60_000;

/** Returns TSV. */
function recognize(program: string, languages: string, tiff: Buffer, signal: AbortSignal): Promise<string | 'timeout'> {
  signal.throwIfAborted();
  // 13 is a raw line. 7 searches for the line and reads a single 3 as a 5.
  const child = spawn(program, ['stdin', 'stdout', '-l', languages, '--psm', '13', '--dpi', '300', 'tsv'], {
    signal,
    killSignal: 'SIGKILL',
    // Ctrl+C must reach only the worker.
    detached: true,
    // Parallel pages are faster than parallel threads.
    // Huge pages, because page faults of the language models take a tenth of the time (glibc 2.35; ignored elsewhere).
    env: { ...environment(), OMP_THREAD_LIMIT: '1', GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1' },
  });
  let isTimedOut = false;
  const limit = setTimeout(() => {
    isTimedOut = true;
    child.kill('SIGKILL');
  }, TIMEOUT_MS).unref();
  return new Promise((resolve, reject) => {
    const stdout: Buffer[] = [];
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString()).slice(-500);
    });
    child.on('error', reject);
    child.on('close', (code, killedBy) => {
      clearTimeout(limit);
      if (isTimedOut) resolve('timeout');
      else if (code === 0) resolve(Buffer.concat(stdout).toString());
      else reject(new Error(`Tesseract exited with ${killedBy ?? code}: ${stderr}`));
    });
    // The exit code gives the reason.
    child.stdin.on('error', () => {});
    child.stdin.end(tiff);
  });
}

/** The environment of Tesseract, without the worker's secrets. */
function environment(): NodeJS.ProcessEnv {
  // eslint-disable-next-line no-restricted-properties -- Tesseract locates its files by these variables
  const { PATH, SystemRoot, LD_LIBRARY_PATH, TESSDATA_PREFIX } = process.env;
  return { PATH, SystemRoot, LD_LIBRARY_PATH, TESSDATA_PREFIX };
}
