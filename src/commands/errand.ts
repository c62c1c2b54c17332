import { constants } from 'node:fs';
import { access, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { OperatorError } from '../base/operator-error.ts';
import { AssayError, NetworkProblem, TaskFailed, Unauthorized } from '../client/index.ts';
import { type Server, type ServerOptions, serverOf } from './server-of.ts';

export interface ErrandOptions extends ServerOptions {
  /** False: the task's id is enough. */
  readonly wait: boolean;
  readonly json?: boolean;
  /** A file in place of standard output. */
  readonly output?: string;
}

/** Interrupted, as a shell counts it: 128 and the number of SIGINT. */
const INTERRUPTED = 130;

/**
 * Runs something with a server and says how it ended: status 0, or 1 where a task has failed. Whatever kept it from
 * being done is a sentence and status 2.
 */
export async function onErrand(
  service: string,
  options: ErrandOptions,
  signal: AbortSignal,
  run: (server: Server) => Promise<void>,
): Promise<void> {
  const server = await serverOf(service, options);
  if (options.output !== undefined) await checkFolder(options.output);
  try {
    await run(server);
  } catch (error) {
    if (signal.aborted) {
      console.error('Given up; a task that was created goes on.');
      process.exitCode = INTERRUPTED;
    } else if (error instanceof TaskFailed) {
      if (options.json) await tell(options, error.state, []);
      console.error(failureOf(error));
      process.exitCode = 1;
    } else throw error instanceof AssayError ? new OperatorError(onOneLine(sentenceOf(error, service, server))) : error;
  }
}

export const failureOf = ({ taskId, message, code }: TaskFailed) =>
  onOneLine(`The task ${taskId} has failed: ${message} (${code})`);

/** Words of a server elsewhere: they move no cursor and colour nothing. */
const onOneLine = (words: string) => words.replace(/\p{Cc}+/gu, ' ');

/** The result, as a program or a person reads it, where it was asked for. */
export async function tell({ json, output }: ErrandOptions, result: unknown, lines: readonly string[]): Promise<void> {
  const text = json ? JSON.stringify(result, null, 2) : lines.join('\n');
  if (output === undefined) process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
  else await keep(output, text.endsWith('\n') ? text : `${text}\n`);
}

export async function keep(path: string, content: string | Uint8Array): Promise<void> {
  await writeFile(path, content).catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(`${path} cannot be written (${error.code}).`);
  });
}

/** Before anything is begun: a result that has nowhere to go was not worth waiting for. */
async function checkFolder(output: string): Promise<void> {
  await access(dirname(output), constants.W_OK).catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(`${output} cannot be written (${error.code}).`);
  });
}

// Started by its path: npm could install another package, as its public name is not ours.
const START = ' `node scripts/assay.mjs start` in the folder of the package starts it.';

function sentenceOf(error: AssayError, service: string, server: Server): string {
  const { url, token, apiKey, local } = server;
  const [flag, variable] = service === 'passports' ? ['--api-key', 'ASSAY_API_KEY'] : ['--token', 'ASSAY_TOKEN'];
  if (error instanceof NetworkProblem) return `${error.message}${local ? START : ''}`;
  if (error instanceof Unauthorized) {
    const refused = (token ?? apiKey) ? `refuses the credential: ${error.message}` : 'wants a credential.';
    return `${url} ${refused} ${flag} or ${variable} gives it one that is good.`;
  }
  if (error.code === 'NOT_FOUND') return `${url} is no ${service} of Assay's, or keeps no files (FILES_HOST).`;
  if (error.status === 0) return error.message;
  return `${url} refuses: ${error.message} (${error.code})`;
}
