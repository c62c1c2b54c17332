import { OperatorError } from '../base/operator-error.ts';
import { Assay, type Document, type Photo, type Recording, TaskFailed, TaskNotFound } from '../client/index.ts';
import { otherServicesHint, printResult, runClientCommand } from './client-command.ts';
import { CANCEL_SERVICES, type TaskServiceName } from './client-options.ts';
import type { ServerOptions } from './resolve-server.ts';
import { documentLines, photoLines, recordingLines } from './result-lines.ts';
import { onOneLine } from './terminal.ts';

export interface TaskOptions extends ServerOptions {
  readonly service: TaskServiceName;
  readonly json?: boolean;
  readonly output?: string;
}

export interface CancelOptions extends TaskOptions {
  readonly service: (typeof CANCEL_SERVICES)[number];
}

/**
 * `assay result ID`: prints a result as the command that created the task does, or the state of an unfinished task, which is an error
 * with `--output`.
 */
export function resultCommand(id: string, options: TaskOptions, signal: AbortSignal): Promise<void> {
  return onTask(id, options, signal, async (assay) => {
    const state: Photo | Recording | Document = await assay[options.service].result(id, { signal });
    return printResult(options, state, resultLines(id, state, options));
  });
}

function resultLines(id: string, state: Photo | Recording | Document, { output }: TaskOptions): readonly string[] {
  switch (state.status) {
    case 'SUCCESS':
      return documentLines(state);
    case 'done':
      return 'surface' in state.result ? photoLines(state.result) : recordingLines({ result: state.result });
    case 'failed':
      throw new TaskFailed({ code: state.error_code, message: state.error, taskId: id, state });
    case 'FAILED':
    case 'ERROR':
    case 'PERMANENT_ERROR':
      throw new TaskFailed({ code: state.error_type, message: state.error, taskId: id, state });
    case 'queued':
    case 'processing':
    case 'PENDING':
    case 'PROCESSING':
      if (output !== undefined)
        throw new OperatorError(`The task ${id} has no result yet: ${state.status.toLowerCase()}.`);
      return [state.status.toLowerCase()];
  }
}

/** `assay cancel ID` */
export function cancelCommand(id: string, options: CancelOptions, signal: AbortSignal): Promise<void> {
  return onTask(id, { ...options, services: CANCEL_SERVICES }, signal, async (assay) => {
    const state = await assay[options.service].cancel(id, { signal });
    return printResult(options, state, [`cancelled: ${id}`]);
  });
}

/** `assay delete ID`: deletes a document and its file. */
export function deleteCommand(id: string, options: ServerOptions, signal: AbortSignal): Promise<void> {
  return runClientCommand('passports', options, signal, async ({ url, token, apiKey, ...rest }) => {
    await new Assay({ passports: { url, token, apiKey }, ...rest }).passports.remove(id, { signal });
    return printResult({}, {}, [`deleted: ${id}`]);
  });
}

/** Runs a command on one task; an error for an unknown task names the options of the other services. */
export function onTask(
  id: string,
  options: TaskOptions & { readonly services?: readonly TaskServiceName[] },
  signal: AbortSignal,
  run: (assay: Assay) => Promise<void>,
): Promise<void> {
  const { service, services } = options;
  return runClientCommand(service, options, signal, async ({ url, token, apiKey, ...rest }) => {
    await run(new Assay({ [service]: { url, token, apiKey }, ...rest })).catch((error: unknown) => {
      if (!(error instanceof TaskNotFound)) throw error;
      throw new OperatorError(
        onOneLine(
          `${url} (${service}) has no task ${id} (TASK_NOT_FOUND). ${otherServicesHint('task', service, services)}`,
        ),
      );
    });
  });
}
