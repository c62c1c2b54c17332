import { resolve } from 'node:path';
import { OperatorError } from '../base/operator-error.ts';
import { systemClock } from '../client/clock.ts';
import type { OutageListener } from '../client/connection.ts';
import { AssayError, type Clock, NetworkProblem, TaskFailed, Unauthorized } from '../client/index.ts';
import { isTransient } from '../client/response-error.ts';
import { TASK_SERVICES } from './client-options.ts';
import { exitWithError } from './exit.ts';
import { checkOutputFolder, writeOutputFile } from './local-files.ts';
import { createOutageNotice } from './outage-notice.ts';
import { createLimitWaits, createRateLimitNotice, type LimitWaits } from './rate-limit-notice.ts';
import { resolveServer, type Server, type ServerOptions } from './resolve-server.ts';
import { onOneLine, shellQuoted } from './terminal.ts';

export interface ClientCommandOptions extends ServerOptions {
  readonly wait: boolean;
  readonly json?: boolean;
  readonly output?: string;
  readonly project?: string;
  readonly tag?: readonly string[];
  /** Of commands that create tasks or a batch. */
  readonly created?: Created;
}

/** What the server has accepted so far, for the message after Ctrl-C. */
export interface Created {
  readonly noun: 'task' | 'batch';
  readonly ids: string[];
}

/** The server, and options of the client for a command. */
interface ClientServer extends Server {
  readonly clock: Clock;
  readonly onRateLimit: (seconds: number) => void;
  readonly limitWaits: LimitWaits;
  readonly onOutage: OutageListener;
}

/** For the client. */
export const groupingOf = ({ project, tag }: Pick<ClientCommandOptions, 'project' | 'tag'>) => ({ project, tags: tag });

/** For commands that create tasks, also on this machine: 15 s in all if connections are refused. Chosen: for a restart of the server. */
export const RETRIES = 5;

/** Thrown after Ctrl-C instead of the reason of the signal: what the command has done. */
export class Interruption extends Error {}

/** 128 + SIGINT, by shell convention. */
const EXIT_INTERRUPTED = 130;

/**
 * `outputEnd` aborts when the program that reads the output has ended, which is no error, or when the output cannot be written. Exit status 0;
 * 1 when a task has failed; 2 for other errors.
 */
export async function runClientCommand(
  service: string,
  options: Partial<ClientCommandOptions>,
  signal: AbortSignal,
  run: (server: ClientServer, outputEnd: AbortSignal) => Promise<void>,
): Promise<void> {
  if (options.wait === false && options.output !== undefined)
    throw new OperatorError(
      `--output cannot be used with --no-wait: there is no result yet. To write it later: \`node scripts/assay.mjs result ID --service ${service} --output ${shellQuoted(options.output)}\`.`,
    );
  const outputEnd = endOfOutput();
  const server = await resolveServer(service, options);
  if (options.output !== undefined) await checkOutputFolder(options.output);
  try {
    // An interrupted command also ends the waits that its requests share, such as for a token.
    const clock = { ...systemClock, sleep: (ms: number, own = signal) => systemClock.sleep(ms, own) };
    const limitWaits = createLimitWaits();
    const notice = createRateLimitNotice();
    const onRateLimit = (seconds: number) => {
      limitWaits.add(seconds);
      notice(seconds);
    };
    await run(
      { ...server, clock, onRateLimit, limitWaits, onOutage: createOutageNotice(server.local ? START : '') },
      outputEnd,
    );
  } catch (error) {
    if (error === outputEnd.reason) return;
    if (signal.aborted) {
      const isPartial = error instanceof Interruption;
      console.error(onOneLine(isPartial ? `Interrupted; ${error.message}` : interruption(service, options)));
      process.exitCode = EXIT_INTERRUPTED;
    } else if (error instanceof TaskFailed) {
      if (options.json) await printResult(options, error.state, []);
      console.error(formatTaskFailure(error));
      process.exitCode = 1;
    } else if (error instanceof AssayError) {
      const { created, server: at } = options;
      const isKept = created !== undefined && created.ids.length > 0 && isTransient(error);
      const rest = isKept ? ` The server keeps the ${nameOf(created)}. ${stateHint(service, created, at)}` : '';
      throw new OperatorError(onOneLine(`${messageOf(error, service, server)}${rest}`));
    } else throw error;
  }
}

function interruption(service: string, { created, server }: Pick<ClientCommandOptions, 'created' | 'server'>): string {
  if (created === undefined) return 'Interrupted.';
  if (created.ids.length === 0) return `Interrupted before the server confirmed a ${created.noun}.`;
  const verb = created.ids.length === 1 ? 'continues' : 'continue';
  return `Interrupted; the ${nameOf(created)} ${verb} on the server. ${stateHint(service, created, server)}`;
}

const nameOf = ({ noun, ids }: Created) => `${noun}${ids.length === 1 ? '' : 's'} ${ids.join(', ')}`;

function stateHint(service: string, { noun, ids }: Created, server: string | undefined): string {
  const id = ids.length === 1 ? ids[0] : 'ID';
  const command = `${noun === 'batch' ? 'batches status' : 'result'} ${id} --service ${service}`;
  const at = server === undefined ? '' : ` --server ${server}`;
  return `To see the state: \`node scripts/assay.mjs ${command}${at}\`.`;
}

/** For an id that a service does not have. */
export function otherServicesHint(noun: string, service: string): string {
  const others = TASK_SERVICES.filter((other) => other !== service).map((other) => `--service ${other}`);
  return `If it is a ${noun} of another service: ${others.join(' or ')}.`;
}

/**
 * Aborts when the program that reads the output ends, as in `assay events --follow | head -n 1`, or when the output cannot be written,
 * which is reported.
 */
function endOfOutput(): AbortSignal {
  const end = new AbortController();
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && !end.signal.aborted)
      exitWithError(new OperatorError(`The output cannot be written: ${error.message}`));
    end.abort();
  });
  return end.signal;
}

export const formatTaskFailure = ({ taskId, message, code }: TaskFailed) =>
  onOneLine(`The task ${taskId} has failed: ${message} (${code})`);

export async function printResult(
  { json, output }: Omit<ClientCommandOptions, 'wait'>,
  result: unknown,
  lines: readonly string[],
): Promise<void> {
  const text = json ? JSON.stringify(result, null, 2) : lines.join('\n');
  if (output === undefined) process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
  else await writeOutputFile(output, text.endsWith('\n') ? text : `${text}\n`);
}

// By path: the npm package name `assay` belongs to another project.
const START = ' Start Assay with `node scripts/assay.mjs start` in its folder.';

function messageOf(error: AssayError, service: string, server: Server): string {
  const { url, token, apiKey, isOwnCredential, local } = server;
  const [flag, variable] = service === 'passports' ? ['--api-key', 'ASSAY_API_KEY'] : ['--token', 'ASSAY_TOKEN'];
  if (error instanceof NetworkProblem) return `${error.message}${local ? START : ''}`;
  if (error instanceof Unauthorized) {
    if (isOwnCredential)
      return `${url} rejected the credential of ${service} on this machine: check that it is the address of ${service}, or set ${flag} or ${variable}.`;
    if (token ?? apiKey) return `${url} rejected the credential: ${error.message} Set ${flag} or ${variable}.`;
    if (!local) return `${url} requires a credential: set ${flag} or ${variable}.`;
    const dataDir = resolve(process.env['DATA_DIR'] ?? 'data');
    return `${url} requires a credential, and ${dataDir} contains none: run the command in the folder where Assay was started, or set DATA_DIR, ${flag} or ${variable}.`;
  }
  if (error.code === 'NOT_FOUND') return `${url} is not an Assay ${service} service, or stores no files (FILES_HOST).`;
  if (error.status === 0) return error.message;
  return `${url} returned an error: ${error.message} (${error.code})`;
}
