import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { GrayImage } from './grayscale.ts';
import { encodeTiff } from './tiff.ts';

/** Tesseract with its options. */
export interface TesseractCommand {
  readonly program: string;
  readonly options: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** A running Tesseract with loaded models. */
export interface TesseractProcess {
  /** One call at a time. Rejects with the reason if the process ends. */
  read(images: readonly GrayImage[]): Promise<Round[]>;
  readonly hasExited: boolean;
  /** Ends the process; a running call of `read` rejects with `reason`. */
  kill(reason: unknown): void;
  /** Ends an idle process. */
  end(): void;
}

/** The rows of images that were read one after the other, as TSV. The first image is the page `firstPage`. */
export interface Round {
  readonly tsv: string;
  readonly firstPage: number;
  readonly images: number;
}

/** Chosen. A process has one more file open, for `BLANK`. */
const IMAGES_PER_ROUND = 63;
/** Read after the images of a round: only the rows of a later image show that those of the images are complete. */
const BLANK: GrayImage = { width: 16, height: 16, data: new Uint8Array(256).fill(255) };
/** The first file descriptor behind those of standard input, output and error. */
const FIRST_FD = 3;

/**
 * Starts a process that reads the images named on its standard input (`stream_filelist`). `stdbuf` of the GNU coreutils makes it
 * write the rows of each image at once. The images are in files without a name, which it opens as `/dev/fd/3` and so on: nothing of
 * a document is left if the worker is killed, and the process ends with the worker.
 */
export async function startTesseract({ program, options, env }: TesseractCommand): Promise<TesseractProcess> {
  const files = await openUnnamedFiles(IMAGES_PER_ROUND + 1);
  const close = async () => void (await Promise.allSettled(files.map((file) => file.close())));
  let child: ChildProcess;
  try {
    await writeImage(files[IMAGES_PER_ROUND]!, BLANK);
    const args = ['-oL', program, 'stdin', 'stdout', ...options, '-c', 'stream_filelist=true', 'tsv'];
    child = spawn('stdbuf', args, {
      stdio: ['pipe', 'pipe', 'pipe', ...files.map(({ fd }) => fd)],
      detached: true, // Ctrl+C must reach only the worker
      env,
    });
    await once(child, 'spawn');
  } catch (error) {
    await close();
    throw error;
  }
  child.once('close', () => void close());
  const exchange = createExchange(child);
  return {
    async read(images) {
      const rounds: Round[] = [];
      for (let first = 0; first === 0 || first < images.length; first += IMAGES_PER_ROUND) {
        const round = images.slice(first, first + IMAGES_PER_ROUND);
        await Promise.all(round.map((image, i) => writeImage(files[i]!, image)));
        rounds.push(await exchange.readFiles([...round.keys()]));
        // Images of a document must not stay with an idle process.
        await Promise.all(round.map((_, i) => files[i]!.truncate(0)));
      }
      return rounds;
    },
    get hasExited() {
      return exchange.hasFailed();
    },
    kill(reason) {
      exchange.fail(reason);
      child.kill('SIGKILL');
    },
    end() {
      child.stdin?.end();
    },
  };
}

/** Writes names of files to a process and reads rows. */
function createExchange(child: ChildProcess) {
  const [stdin, stdout, stderr] = [child.stdin, child.stdout, child.stderr] as [Writable, Readable, Readable];
  let output = '';
  let messages = '';
  let pages = 0;
  let failure: { reason: unknown } | undefined;
  let waiting: { resolve: (tsv: string) => void; reject: (reason: unknown) => void } | undefined;

  const fail = (reason: unknown) => {
    failure ??= { reason };
    waiting?.reject(failure.reason);
  };
  stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
    const blank = output.indexOf(`\n1\t${pages}\t`) + 1;
    const end = output.indexOf('\n', blank) + 1;
    if (blank === 0 || end === 0) return;
    waiting?.resolve(output.slice(0, blank));
    output = output.slice(end);
  });
  stderr.setEncoding('utf8').on('data', (chunk: string) => {
    messages = (messages + chunk).replace(/^Page \d+ : .*\n/gm, '').slice(-500);
  });
  child.on('error', fail);
  child.on('close', (code, signal) => fail(new Error(`Tesseract exited with ${signal ?? code}: ${messages}`)));
  // The exit code gives the reason.
  stdin.on('error', () => {});

  return {
    fail,
    hasFailed: () => failure !== undefined,
    /** The images of these files, by their number, and then the blank one. */
    async readFiles(numbers: readonly number[]): Promise<Round> {
      if (failure) throw failure.reason;
      const firstPage = pages + 1;
      pages += numbers.length + 1;
      const tsv = await new Promise<string>((resolve, reject) => {
        waiting = { resolve, reject };
        stdin.write([...numbers, IMAGES_PER_ROUND].map((number) => `/dev/fd/${FIRST_FD + number}\n`).join(''));
      });
      return { tsv, firstPage, images: numbers.length };
    },
  };
}

async function openUnnamedFiles(count: number): Promise<FileHandle[]> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-ocr-'));
  const files: FileHandle[] = [];
  try {
    for (let i = 0; i < count; i++) files.push(await open(join(folder, `${i}`), 'wx+', 0o600));
    await rm(folder, { recursive: true });
    return files;
  } catch (error) {
    await Promise.allSettled(files.map((file) => file.close()));
    await rm(folder, { recursive: true, force: true }).catch(() => {});
    throw error;
  }
}

/** Writes to an empty file. */
async function writeImage(file: FileHandle, image: GrayImage): Promise<void> {
  const tiff = encodeTiff([image]);
  const { bytesWritten } = await file.write(tiff, 0, tiff.length, 0);
  if (bytesWritten < tiff.length) throw new Error('The disk for temporary files is full.');
}
