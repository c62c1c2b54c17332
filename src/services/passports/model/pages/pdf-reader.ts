import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { program } from '../../../../base/programs.ts';
import { PdfRefused } from './pdf-refused.ts';
import type { Answer, Question } from './pdfium-process.ts';
import { OVERRUN } from './pdfium-watch.ts';

/** A process that reads one document, asked one thing at a time. */
export interface Reader {
  /**
   * What the process answers. Throws {@link PdfRefused}, also where the document has brought the process down; the
   * signal's reason; and an error where it ended for reasons of its own. After any of these the document is closed.
   */
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
  /** Ends the document, whatever is asked of it now. Never throws. */
  close(): Promise<void>;
}

/**
 * A process for the next document: one that rests, or a new one. Starting one costs some 0.2 s, and its first pages take
 * three times as long as later ones; so one whose document ended well rests for a while. Of a document nothing stays in
 * it: each is read in memory of its own.
 */
export function takeReader(): Reader {
  // Undefined once the document is closed: from then on the process may be another one's.
  let held: Process | undefined = wake() ?? start();
  let last: Promise<unknown> = Promise.resolve();
  let asked = 0;
  const end = async () => {
    const ending = held;
    held = undefined;
    ending?.child.kill('SIGKILL');
    await ending?.gone;
  };
  return {
    ask(question, signal) {
      asked++;
      const answer = last.then(async () => {
        if (!held) throw new Error('The document is closed.');
        return answerOf(held.child, question, signal);
      });
      last = answer.catch(end).finally(() => asked--);
      return answer;
    },
    async close() {
      if (asked > 0) return end();
      const done = held;
      held = undefined;
      if (!done || (await rests(done))) return;
      done.child.kill('SIGKILL');
      await done.gone;
    },
  };
}

interface Process {
  readonly child: ChildProcess;
  /** Resolves when it has ended. */
  readonly gone: Promise<void>;
  documents: number;
}

const resting = new Map<Process, NodeJS.Timeout>();
// As many as there are documents at a time in a busy worker; each holds some 100 MB.
const MAX_RESTING = 2;
const REST_MS = 30_000;
// What leaks, if anything does, goes with the process.
const MAX_DOCUMENTS = 100;
const MAX_RESTING_BYTES = 400 * 2 ** 20;

/** Lets the process rest if it is fit for another document. While it rests it keeps nobody from ending. */
async function rests(reader: Process): Promise<boolean> {
  if (++reader.documents >= MAX_DOCUMENTS || resting.size >= MAX_RESTING) return false;
  const answer = await answerOf(reader.child, { ask: 'close' }, AbortSignal.timeout(5000)).catch(() => undefined);
  if (!answer || !('usedBytes' in answer) || answer.usedBytes > MAX_RESTING_BYTES) return false;
  if (resting.size >= MAX_RESTING) return false;
  const dismissal = setTimeout(() => {
    resting.delete(reader);
    reader.child.kill('SIGKILL');
  }, REST_MS);
  resting.set(reader, dismissal.unref());
  reader.child.unref();
  reader.child.channel?.unref();
  return true;
}

function wake(): Process | undefined {
  for (const [reader, dismissal] of resting) {
    resting.delete(reader);
    clearTimeout(dismissal);
    if (!reader.child.connected) continue;
    reader.child.ref();
    reader.child.channel?.ref();
    return reader;
  }
  return undefined;
}

async function answerOf(child: ChildProcess, question: Question, signal: AbortSignal): Promise<Answer> {
  signal.throwIfAborted();
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

function start(): Process {
  const { file, execArgv } = program('./pdfium-process', import.meta.url);
  const child = fork(fileURLToPath(file), {
    serialization: 'advanced',
    // Nothing of this process's surroundings, secrets among them, is any business of a stranger's file.
    env: {},
    execArgv: ['--max-old-space-size=256', ...execArgv],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    // One that could not be started has no end; that a question could not be put to one is seen by its end.
    child.on('error', () => child.pid === undefined && resolve());
  });
  return { child, gone, documents: 0 };
}
