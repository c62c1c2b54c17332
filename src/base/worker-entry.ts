import { Worker, type WorkerOptions } from 'node:worker_threads';

// Built modules are JavaScript; source modules are TypeScript, which Node 20 cannot run.
const FROM_SOURCE = import.meta.url.endsWith('.ts');
const READS_TYPES = 'typescript' in process.features && process.features.typescript !== false;

/**
 * URL and Node options of the entry module `name` (without extension, like `./heic-thread`), relative to `from`. The name must be
 * a relative literal in single quotes, on the line of the call: scripts/bundle.mjs finds the entry modules by it.
 */
export const workerEntry = (
  name: string,
  from: string,
): { readonly file: URL; readonly execArgv: readonly string[] } => ({
  file: new URL(`${name}.${FROM_SOURCE ? 'ts' : 'js'}`, from),
  execArgv:
    FROM_SOURCE && !READS_TYPES ? ['--import', new URL('../../test/support/read-types.mjs', import.meta.url).href] : [],
});

export function startThread(name: string, from: string, options: WorkerOptions = {}): Worker {
  const { file, execArgv } = workerEntry(name, from);
  // Without `execArgv` the thread inherits the options of the process.
  return new Worker(file, { ...options, ...(execArgv.length > 0 && { execArgv: [...execArgv] }) });
}
