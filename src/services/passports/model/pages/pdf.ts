import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ReadPage } from '../../page.ts';
import type { PdfProblem } from './pdfium-document.ts';
import type { Answer, Question } from './pdfium-process.ts';
import type { Raster, RasterSize } from './pdfium-render.ts';
import { OVERRUN } from './pdfium-watch.ts';

export type { PdfProblem, Raster, RasterSize };

/** A PDF that will not be read, whoever tries again. */
export class PdfRefused extends Error {
  override readonly name = 'PdfRefused';
  readonly problem: PdfProblem;

  constructor(problem: PdfProblem) {
    super(SENTENCES[problem]);
    this.problem = problem;
  }
}

/**
 * An open PDF, read by a process of its own; pages are counted from 1. Questions wait for each other. Whatever is thrown
 * ends the document: {@link PdfRefused} for good, the signal's reason, or an error that another attempt may not meet.
 */
export interface Pdf {
  readonly pages: number;
  /** Pages, of those asked for so far, that cannot be opened though others can: without words, and white. */
  readonly damaged: ReadonlySet<number>;
  /**
   * The words and rules that the PDF itself carries. No words: the page is a scan (perhaps with a stamp), or what it
   * carries is not what it shows (invisible text of some scanner, characters without names), and is read by its looks.
   */
  text(page: number, signal: AbortSignal): Promise<ReadPage>;
  /** The page as it is shown, on white, its own turn applied, smaller where `maxPixels` says so. */
  render(page: number, size: RasterSize, signal: AbortSignal): Promise<Raster>;
  /** Ends the process. Never throws, and may be called twice. */
  close(): Promise<void>;
}

/**
 * Opens the PDF at `path`. Throws {@link PdfRefused} for a file that needs a password, has no page that can be opened
 * even after repair, has more than `maxPages`, or none. `cpuSeconds` is for opening it, and for each question after
 * that: more is `too_complex`. The file is to stay until this has resolved.
 */
export async function openPdf(
  path: string,
  { maxPages, signal, cpuSeconds = MAX_CPU_SECONDS }: { maxPages: number; signal: AbortSignal; cpuSeconds?: number },
): Promise<Pdf> {
  signal.throwIfAborted();
  const reader = startReader();
  try {
    const { opened } = (await reader.ask({ ask: 'open', path, maxPages, cpuSeconds }, signal)) as { opened: number };
    const damaged = new Set<number>();
    const note = (page: number, answer: { damaged: boolean }) => void (answer.damaged && damaged.add(page));
    return {
      pages: opened,
      damaged,
      async text(page, signal) {
        const answer = (await reader.ask({ ask: 'text', page }, signal)) as { text: ReadPage; damaged: boolean };
        note(page, answer);
        return answer.text;
      },
      async render(page, size, signal) {
        const answer = (await reader.ask({ ask: 'render', page, size }, signal)) as {
          raster: Raster;
          damaged: boolean;
        };
        note(page, answer);
        return answer.raster;
      },
      close: () => reader.close(),
    };
  } catch (error) {
    await reader.close();
    throw error;
  }
}

const MAX_CPU_SECONDS = 60;

const SENTENCES: Record<PdfProblem, string> = {
  encrypted: 'The PDF is protected by a password.',
  corrupt: 'The PDF is damaged: none of its pages can be opened.',
  too_many_pages: 'The PDF has too many pages.',
  too_complex: 'The PDF takes too much time or memory to read.',
  unsupported: 'The file is not a PDF with pages.',
};

/** The process, asked one thing at a time. */
interface Reader {
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
  close(): Promise<void>;
}

function startReader(): Reader {
  const child = startProcess();
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => child.pid === undefined && resolve());
  });
  let turn: Promise<unknown> = Promise.resolve();
  return {
    ask(question, signal) {
      const answer = turn.then(() => answerOf(child, question, signal));
      turn = answer.catch(() => child.kill('SIGKILL'));
      return answer;
    },
    async close() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}

async function answerOf(child: ChildProcess, question: Question, signal: AbortSignal): Promise<Answer> {
  signal.throwIfAborted();
  if (!child.connected) throw new Error('The document is closed.');
  const settled = new AbortController();
  const until = { signal: AbortSignal.any([signal, settled.signal]) };
  try {
    child.send(question);
    const answer = await Promise.race([
      once(child, 'message', until).then(([answer]) => answer as Answer),
      once(child, 'exit', until).then(([code, by]) => endOf(code as number | null, by as NodeJS.Signals | null)),
    ]);
    if ('problem' in answer) throw new PdfRefused(answer.problem);
    if ('error' in answer) throw new Error(`The PDF could not be read: ${answer.error}`);
    return answer;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    settled.abort();
  }
}

/**
 * What the end of the process in the middle of a question says about the file: brought down by it, or (by the operator,
 * by a machine without memory, before it could start) nothing.
 */
function endOf(code: number | null, by: NodeJS.Signals | null): Answer {
  if (by !== null && BROUGHT_DOWN.has(by)) return { problem: 'too_complex' };
  return { error: `its reader ended by ${by ?? `code ${code}`}` };
}

const BROUGHT_DOWN = new Set<NodeJS.Signals>([OVERRUN, 'SIGABRT', 'SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGTRAP']);

// Built, the program lies beside this file as JavaScript; from sources it is TypeScript, which Node 20 cannot read.
const FROM_SOURCE = import.meta.url.endsWith('.ts');
const READS_TYPES = 'typescript' in process.features && process.features.typescript !== false;

function startProcess(): ChildProcess {
  const program = new URL(`./pdfium-process.${FROM_SOURCE ? 'ts' : 'js'}`, import.meta.url);
  const reader = new URL('../../../../ml/testing/read-types.mjs', import.meta.url).href;
  const child = fork(fileURLToPath(program), {
    serialization: 'advanced',
    // Nothing of this process's surroundings, secrets among them, is any business of a stranger's file.
    env: {},
    execArgv: ['--max-old-space-size=256', ...(FROM_SOURCE && !READS_TYPES ? ['--import', reader] : [])],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // A question that cannot be put to it is seen by its end.
  child.on('error', () => {});
  return child;
}
