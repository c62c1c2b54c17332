import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { StorageUnavailable } from '../../../../base/files/storage-unavailable.ts';
import { firstMessage } from '../../../../base/thread-requests.ts';
import { workerEntry } from '../../../../base/worker-entry.ts';
import type { PdfProblem } from './pdfium-document.ts';
import type { PdfRequest, PdfResponse, PdfResult } from './pdfium-process.ts';
import { CPU_LIMIT_SIGNAL } from './pdfium-watch.ts';

/** A PDF that cannot be read; do not retry. */
export class PdfRejected extends Error {
  override readonly name = 'PdfRejected';
  readonly problem: PdfProblem;

  constructor(problem: PdfProblem) {
    super(MESSAGES[problem]);
    this.problem = problem;
  }
}

const MESSAGES: Record<PdfProblem, string> = {
  encrypted: 'The PDF is password-protected.',
  corrupt: 'The PDF is damaged: no page can be opened.',
  too_many_pages: 'The PDF has too many pages.',
  too_complex: 'Reading the PDF takes too much time or memory.',
  unsupported: 'The file is not a PDF with pages.',
};

/**
 * Takes an idle process or starts one, which reads one document: a start takes 0.2 s, and the first pages take three
 * times as long.
 */
export function acquirePdfProcess() {
  // Undefined once closed, because the process may then serve another document.
  let held: Process | undefined = takeIdle() ?? start();
  let last: Promise<unknown> = Promise.resolve();
  let pending = 0;
  const kill = async () => {
    const killed = held;
    held = undefined;
    killed?.child.kill('SIGKILL');
    await killed?.exited;
  };
  return {
    /** Any error closes the document: {@link PdfRejected} (also after a crash), `StorageUnavailable`, the signal's reason, or another error. */
    send(question: PdfRequest, signal: AbortSignal): Promise<PdfResult> {
      pending++;
      const answer = last.then(async () => {
        if (!held) throw new Error('The document is closed.');
        return request(held.child, question, signal);
      });
      last = answer.catch(kill).finally(() => pending--);
      return answer;
    },
    /** Cancels pending requests. Never throws. */
    async close(): Promise<void> {
      if (pending > 0) return kill();
      const released = held;
      held = undefined;
      if (!released || (await keepIdle(released))) return;
      released.child.kill('SIGKILL');
      await released.exited;
    },
  };
}

interface Process {
  readonly child: ChildProcess;
  readonly exited: Promise<void>;
  documents: number;
}

const idle = new Map<Process, NodeJS.Timeout>();
// A worker reads two documents at the same time; a process uses about 100 MB.
const MAX_IDLE = 2;
const IDLE_MS = 30_000;
// A file that has taken over a process sees the next documents. A new process takes a second of CPU time until its code is compiled.
const MAX_DOCUMENTS = 1000;
const MAX_IDLE_BYTES = 400 * 2 ** 20;

/** An idle process does not keep the parent alive. */
async function keepIdle(reader: Process): Promise<boolean> {
  if (++reader.documents >= MAX_DOCUMENTS || idle.size >= MAX_IDLE) return false;
  const answer = await request(reader.child, { type: 'close' }, AbortSignal.timeout(5000)).catch(() => undefined);
  if (!answer || Number(answer.value) > MAX_IDLE_BYTES) return false;
  if (idle.size >= MAX_IDLE) return false;
  const timer = setTimeout(() => {
    idle.delete(reader);
    reader.child.kill('SIGKILL');
  }, IDLE_MS);
  idle.set(reader, timer.unref());
  reader.child.unref();
  reader.child.channel?.unref();
  return true;
}

function takeIdle(): Process | undefined {
  for (const [reader, timer] of [...idle].reverse()) {
    idle.delete(reader);
    clearTimeout(timer);
    if (!reader.child.connected) continue;
    reader.child.ref();
    reader.child.channel?.ref();
    return reader;
  }
  return undefined;
}

async function request(child: ChildProcess, question: PdfRequest, signal: AbortSignal): Promise<PdfResult> {
  signal.throwIfAborted();
  child.send(question);
  const answer = await firstMessage(child, exitAnswer, signal);
  if ('problem' in answer) throw new PdfRejected(answer.problem);
  if ('unavailable' in answer) throw new StorageUnavailable(answer.unavailable);
  if ('error' in answer) throw new Error(`The PDF could not be read: ${answer.error}`);
  return answer;
}

/** Only crash signals are attributed to the document; others are sent by the operator or the OS. */
function exitAnswer(code: number | null, by: NodeJS.Signals | null): PdfResponse {
  if (by !== null && CRASH_SIGNALS.has(by)) return { problem: 'too_complex' };
  return { error: `the PDF process exited with ${by ?? `code ${code}`}` };
}

const CRASH_SIGNALS = new Set<NodeJS.Signals>([CPU_LIMIT_SIGNAL, 'SIGABRT', 'SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGTRAP']);

function start(): Process {
  const { file, execArgv } = workerEntry('./pdfium-process', import.meta.url);
  const child = fork(fileURLToPath(file), {
    serialization: 'advanced',
    // Untrusted files: no secrets in the environment.
    env: {},
    execArgv: ['--max-old-space-size=256', ...execArgv],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    // A failed start emits no exit event; other errors are followed by one.
    child.on('error', () => child.pid === undefined && resolve());
  });
  return { child, exited, documents: 0 };
}
