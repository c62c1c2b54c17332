import { execFile, spawn } from 'node:child_process';
import { createGate } from '../../../../ml/gate.ts';
import { type Engine, TooMuchToRead } from './engine.ts';
import { tiffOf } from './tiff.ts';
import { wordsOfTsv } from './tsv.ts';

/**
 * Reads with the machine's own Tesseract, a process for the lines of a page, `lanes` processes at once. Undefined where
 * there is none, or none that knows Russian.
 */
export async function openTesseract(program: string, lanes: number): Promise<Engine | undefined> {
  const installed = await installedLanguages(program);
  if (!installed.includes('rus')) return undefined;
  const languages = installed.includes('eng') ? 'rus+eng' : 'rus';
  const lane = createGate(lanes);
  return {
    name: `tesseract ${languages}`,
    async read(lines, signal) {
      if (lines.length === 0) return [];
      const said = await lane(() => recognize(program, languages, tiffOf(lines), signal));
      if (said === 'late') throw new TooMuchToRead(lines.length);
      return wordsOfTsv(said, lines.length);
    },
    close: async () => {},
  };
}

function installedLanguages(program: string): Promise<string[]> {
  return new Promise((resolve) => {
    execFile(program, ['--list-langs'], { timeout: 10_000, env: surroundings() }, (error, stdout) => {
      resolve(error ? [] : stdout.split('\n').map((line) => line.trim()));
    });
  });
}

/** A page of dense text takes 4 s on a slow core; what takes this long is no text. */
const LIMIT_MS = 60_000;

/** What it says of a file of lines, as TSV; `late` when it does not come to an end. */
function recognize(program: string, languages: string, lines: Buffer, signal: AbortSignal): Promise<string | 'late'> {
  signal.throwIfAborted();
  // 13: the picture is a line, all of it; 7 would first look for the line in it, and takes a lone 3 for a 5.
  const child = spawn(program, ['stdin', 'stdout', '-l', languages, '--psm', '13', '--dpi', '300', 'tsv'], {
    signal,
    killSignal: 'SIGKILL',
    // In a group of its own: a Ctrl-C is for the worker, who then decides what becomes of the document.
    detached: true,
    // Several pages at once do more than several threads on one.
    env: { ...surroundings(), OMP_THREAD_LIMIT: '1' },
  });
  let late = false;
  const limit = setTimeout(() => {
    late = true;
    child.kill('SIGKILL');
  }, LIMIT_MS).unref();
  return new Promise((resolve, reject) => {
    const said: Buffer[] = [];
    let complaint = '';
    child.stdout.on('data', (chunk: Buffer) => said.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => {
      complaint = (complaint + chunk.toString()).slice(-500);
    });
    child.on('error', reject);
    child.on('close', (code, killedBy) => {
      clearTimeout(limit);
      if (late) resolve('late');
      else if (code === 0) resolve(Buffer.concat(said).toString());
      else reject(new Error(`Tesseract ended with ${killedBy ?? code}: ${complaint}`));
    });
    // It may end before it has read everything; how it ended says why.
    child.stdin.on('error', () => {});
    child.stdin.end(lines);
  });
}

/** What it needs to find its own parts, and no secret of ours. */
function surroundings(): NodeJS.ProcessEnv {
  // eslint-disable-next-line no-restricted-properties -- a program of somebody else's hands has to find its files
  const { PATH, SystemRoot, LD_LIBRARY_PATH, TESSDATA_PREFIX } = process.env;
  return { PATH, SystemRoot, LD_LIBRARY_PATH, TESSDATA_PREFIX };
}
