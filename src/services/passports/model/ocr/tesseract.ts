import { execFile, spawn } from 'node:child_process';
import pLimit from 'p-limit';
import type { Log } from '../../../../base/log.ts';
import type { GrayImage } from './grayscale.ts';
import { type LineWord, OcrTimeout, type Recognize, type TextEngine } from './ocr-engine.ts';
import { openTesseractPool } from './tesseract-pool.ts';
import type { TesseractCommand } from './tesseract-process.ts';
import { encodeTiff } from './tiff.ts';
import { parseTsv } from './tsv.ts';

/** In order of preference. The model of the Cyrillic script is as fast as that of Russian and makes fewer errors. */
const RUSSIAN = ['Cyrillic', 'script/Cyrillic', 'rus'];

/** A page of dense text takes 4 s on a slow core. */
const TIMEOUT_MS = 60_000;

/** Opens the installed Tesseract; undefined if it or a model for Russian is missing. */
export async function openTesseract(
  program: string,
  concurrency: number,
  log?: Pick<Log, 'warn'>,
): Promise<TextEngine | undefined> {
  const installed = await installedLanguages(program);
  const russian = RUSSIAN.find((model) => installed.includes(model));
  if (russian === undefined) return undefined;
  const hasEnglish = installed.includes('eng');
  const languages = hasEnglish ? `${russian}+eng` : russian;
  const limit = pLimit(concurrency);
  const [all, english] = [commandFor(program, languages), commandFor(program, 'eng')];
  let hasFailed = false;
  /** Logs the first of successive failures. */
  const logFallback = (err: unknown) => {
    if (!hasFailed)
      log?.warn({ err }, 'the pool of Tesseract processes failed; pages start processes of their own until it works');
    hasFailed = true;
  };
  const pool = await openTesseractPool(all, concurrency).catch(logFallback);
  const read: typeof readOnce = async (command, lines, signal) => {
    const words = await pool?.read(command, lines, signal).catch((error: unknown) => {
      if (signal.aborted) throw error;
      // The disk may be full, or the process ended while it was idle; `readOnce` needs neither.
      logFallback(error);
    });
    if (!words) return readOnce(command, lines, signal);
    hasFailed = false;
    return words;
  };
  const recognizeWith =
    (command: TesseractCommand): Recognize =>
    async (lines, signal) =>
      lines.length === 0 ? [] : limit(() => withinTime(lines.length, signal, (ended) => read(command, lines, ended)));
  return {
    name: `tesseract ${languages}`,
    recognize: recognizeWith(all),
    ...(hasEnglish && { recognizeEnglish: recognizeWith(english) }),
    close: async () => pool?.close(),
  };
}

function installedLanguages(program: string): Promise<string[]> {
  return new Promise((resolve) => {
    execFile(program, ['--list-langs'], { timeout: 10_000, env: environment() }, (error, stdout) => {
      resolve(error ? [] : stdout.split('\n').map((line) => line.trim()));
    });
  });
}

const commandFor = (program: string, languages: string): TesseractCommand => ({
  program,
  // 13 is a raw line. 7 searches for the line and reads a single 3 as a 5.
  options: ['-l', languages, '--psm', '13', '--dpi', '300'],
  // Parallel pages are faster than parallel threads.
  // Huge pages, because page faults of the language models take a tenth of the time (glibc 2.35; ignored elsewhere).
  env: { ...environment(), OMP_THREAD_LIMIT: '1', GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1' },
});

/** Runs `read` with a signal that ends it: the caller's, or an `OcrTimeout` after `TIMEOUT_MS`. */
async function withinTime<T>(lines: number, signal: AbortSignal, read: (ended: AbortSignal) => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new OcrTimeout(lines)), TIMEOUT_MS);
  try {
    return await read(AbortSignal.any([signal, late.signal]));
  } finally {
    clearTimeout(timer);
  }
}

/** Reads with a process that loads its models and ends. */
async function readOnce(
  { program, options, env }: TesseractCommand,
  lines: readonly GrayImage[],
  signal: AbortSignal,
): Promise<LineWord[][]> {
  const args = ['stdin', 'stdout', ...options, 'tsv'];
  // Detached, because Ctrl+C must reach only the worker.
  const child = spawn(program, args, { signal, killSignal: 'SIGKILL', detached: true, env });
  const tsv = await new Promise<string>((resolve, reject) => {
    const stdout: Buffer[] = [];
    let stderr = '';
    child.on('error', (error) => reject(signal.aborted ? signal.reason : error));
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString()).slice(-500);
    });
    child.on('close', (code, killedBy) => {
      if (code === 0) resolve(Buffer.concat(stdout).toString());
      else reject(new Error(`Tesseract exited with ${killedBy ?? code}: ${stderr}`));
    });
    // The exit code gives the reason.
    child.stdin.on('error', () => {});
    child.stdin.end(encodeTiff(lines));
  });
  return parseTsv(tsv, lines.length);
}

/** The environment of Tesseract, without the worker's secrets. */
function environment(): NodeJS.ProcessEnv {
  // eslint-disable-next-line no-restricted-properties -- Tesseract locates its files by these variables
  const { PATH, SystemRoot, LD_LIBRARY_PATH, TESSDATA_PREFIX } = process.env;
  return { PATH, SystemRoot, LD_LIBRARY_PATH, TESSDATA_PREFIX };
}
