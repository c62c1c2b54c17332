import { Worker, type WorkerOptions } from 'node:worker_threads';

// Built, programs are JavaScript; from sources they are TypeScript, which Node 20 cannot read.
const FROM_SOURCE = import.meta.url.endsWith('.ts');
const READS_TYPES = 'typescript' in process.features && process.features.typescript !== false;

/**
 * Where the program `name` lies (as `./sheet-thread`, without its extension), seen from the module at `from`, and what
 * Node must be told so that it can run it.
 */
export const program = (name: string, from: string): { readonly file: URL; readonly execArgv: readonly string[] } => ({
  file: new URL(`${name}.${FROM_SOURCE ? 'ts' : 'js'}`, from),
  execArgv: FROM_SOURCE && !READS_TYPES ? ['--import', new URL('./testing/read-types.mjs', import.meta.url).href] : [],
});

/** Starts a program in a thread of its own: each does one kind of work for as long as it is wanted. */
export function startThread(name: string, from: string, options: WorkerOptions = {}): Worker {
  const { file, execArgv } = program(name, from);
  // A thread that is told nothing is run as the process that it is in.
  return new Worker(file, { ...options, ...(execArgv.length > 0 && { execArgv: [...execArgv] }) });
}
