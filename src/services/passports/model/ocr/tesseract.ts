import { execFile, spawn } from 'node:child_process';
import type { Word } from '../../page.ts';
import type { Grey } from './grey.ts';
import { wordsOfTsv } from './tsv.ts';

/** What reads a clean, upright page. Boxes are shares of the page that it was given. */
export interface Engine {
  /** For people and for the record: program and languages. */
  readonly name: string;
  /** How many pages it reads at once. */
  readonly lanes: number;
  read(page: Grey, signal: AbortSignal): Promise<Word[]>;
  close(): Promise<void>;
}

/** Reads with the machine's own Tesseract, a process for each page; undefined where there is none, or none that knows Russian. */
export async function openTesseract(program: string, lanes: number): Promise<Engine | undefined> {
  const languages = await installedLanguages(program);
  if (!languages.includes('rus')) return undefined;
  const chosen = languages.includes('eng') ? 'rus+eng' : 'rus';
  return {
    name: `tesseract ${chosen}`,
    lanes,
    async read(page, signal) {
      const tsv = await recognize(program, chosen, page, signal);
      return wordsOfTsv(tsv, page.width, page.height);
    },
    close: async () => {},
  };
}

function installedLanguages(program: string): Promise<string[]> {
  return new Promise((resolve) => {
    execFile(program, ['--list-langs'], { timeout: 10_000 }, (error, stdout) => {
      resolve(error ? [] : stdout.split('\n').map((line) => line.trim()));
    });
  });
}

/** A page of dense text takes 4 s on a slow core; one that takes this long is no text. */
const LIMIT_MS = 60_000;

function recognize(program: string, languages: string, page: Grey, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const args = ['stdin', 'stdout', '-l', languages, '--psm', (process.env['PSM'] ?? '4'), '--dpi', '300', 'tsv'];
  const child = spawn(program, args, {
    signal,
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
    stdio: ['pipe', 'pipe', 'pipe'],
    // One thread each: several pages at once do more than several threads on one.
    env: { ...found(), OMP_THREAD_LIMIT: '1' },
  });
  return new Promise((resolve, reject) => {
    const out: Buffer[] = [];
    const complaints: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => complaints.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(out).toString());
      else reject(new Error(`Tesseract ended with ${code}: ${Buffer.concat(complaints).toString().slice(0, 500)}`));
    });
    // It may die before it has read all; its exit code says so.
    child.stdin.on('error', () => {});
    child.stdin.write(`P5\n${page.width} ${page.height}\n255\n`);
    child.stdin.end(page.data);
  });
}

/** What it must find, and no secret of ours. */
function found(): NodeJS.ProcessEnv {
  // eslint-disable-next-line no-restricted-properties -- a program of somebody else's has to find its own files
  const { PATH, SystemRoot, LD_LIBRARY_PATH, TESSDATA_PREFIX } = process.env;
  return { PATH, SystemRoot, LD_LIBRARY_PATH, TESSDATA_PREFIX };
}
