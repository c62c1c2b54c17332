import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY } from './assay.ts';

export interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

let built: Promise<unknown> | undefined;

/** Runs the command in `cwd` without the test runner's environment. */
export async function runAssay(
  args: readonly string[],
  { cwd, env = {}, interrupt }: { cwd: string; env?: Record<string, string>; interrupt?: AbortSignal | undefined },
): Promise<CommandResult> {
  // One build for all commands that start at the same time.
  built ??= promisify(execFile)(process.execPath, [join(REPOSITORY, 'scripts/build.mjs')]);
  await built;
  return new Promise((resolve) => {
    const options = { cwd, env: { PATH: process.env['PATH'], HOME: cwd, DATA_DIR: join(cwd, 'data'), ...env } };
    const main = join(REPOSITORY, 'dist/main.js');
    const child = execFile(process.execPath, ['--enable-source-maps', main, ...args], options, (_, out, err) => {
      resolve({ code: child.exitCode ?? -1, out, err });
    });
    interrupt?.addEventListener('abort', () => child.kill('SIGINT'));
  });
}
