import { OperatorError } from '../base/operator-error.ts';
import {
  Assay,
  type Document,
  type DoneRecording,
  type Photo,
  type ReadDocument,
  type Recording,
  TaskFailed,
  TaskNotFound,
  ValidationProblem,
} from '../client/index.ts';
import { otherServicesHint, printResult, runClientCommand } from './client-command.ts';
import { RESULT_FORMATS, type TaskServiceName } from './client-options.ts';
import { documentFiles } from './document-files.ts';
import type { ExtractOptions } from './extract.ts';
import type { ServerOptions } from './resolve-server.ts';
import { documentLines, photoLines, recordingLines } from './result-lines.ts';
import { printRecording, type TranscribeOptions } from './task-commands.ts';
import { onOneLine, shellQuoted } from './terminal.ts';

export interface TaskOptions extends ServerOptions {
  readonly service: TaskServiceName;
  readonly json?: boolean;
  readonly output?: string;
}

export interface ResultOptions extends TaskOptions, Pick<ExtractOptions, 'language'> {
  readonly format?: ExtractOptions['format'] | TranscribeOptions['format'];
}

export type DeleteOptions = Omit<TaskOptions, 'service'>;

/**
 * `assay result ID`: prints a result as the command that created the task does, or the state of an unfinished task, which is an error
 * with `--output` and `--format`.
 */
export async function resultCommand(id: string, flags: ResultOptions, signal: AbortSignal): Promise<void> {
  const { service, format, language, output } = flags;
  checkFormat(flags);
  const options = { ...flags, json: flags.json || format === 'json' };
  const files = format === 'xlsx' || format === 'pdf' ? await documentFiles(format, { output, count: 1 }) : undefined;
  return onTask(id, options, signal, async (assay) => {
    const state: Photo | Recording | Document = await assay[service].result(id, { language, signal });
    const lines = resultLines(id, state, options);
    if (files) return files.write(assay.passports, [state as ReadDocument], { language, signal });
    if (service === 'stt' && state.status === 'done')
      return printRecording(assay.stt, state as DoneRecording, flags as Omit<TranscribeOptions, 'wait'>, signal);
    return printResult(options, state, lines);
  });
}

function checkFormat({ service, format, language }: ResultOptions): void {
  const formats: readonly string[] = RESULT_FORMATS[service];
  if (format !== undefined && !formats.includes(format))
    throw new OperatorError(
      `--format ${format} cannot be used with --service ${service}${formats.length > 0 ? `, which has ${formats.join(', ')}` : ''}.`,
    );
  if (language !== undefined && service !== 'passports')
    throw new OperatorError(`--language cannot be used with --service ${service}.`);
}

function resultLines(
  id: string,
  state: Photo | Recording | Document,
  { output, format }: ResultOptions,
): readonly string[] {
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
      if (output !== undefined || format !== undefined)
        throw new OperatorError(`The task ${id} has no result yet: ${state.status.toLowerCase()}.`);
      return [state.status.toLowerCase()];
  }
}

/** `assay cancel ID` */
export async function cancelCommand(id: string, options: TaskOptions, signal: AbortSignal): Promise<void> {
  const { service } = options;
  const deleteHint = `A document of passports is deleted instead: \`node scripts/assay.mjs delete ${shellQuoted(id)}\`.`;
  if (service === 'passports') throw new OperatorError(deleteHint);
  const other = service === 'stt' ? 'defectoscopy' : 'stt';
  const hint = `If it is a task of another service: --service ${other}. ${deleteHint}`;
  const cancel = async (assay: Assay) =>
    printResult(options, await assay[service].cancel(id, { signal }), [`cancelled: ${id}`]);
  return onTask(id, options, signal, cancel, hint);
}

/** `assay delete ID`: deletes a document and its file. */
export function deleteCommand(id: string, options: DeleteOptions, signal: AbortSignal): Promise<void> {
  const hint = 'Only documents of passports are deleted; `node scripts/assay.mjs cancel` is for photos and recordings.';
  const remove = async ({ passports }: Assay) => {
    await passports.remove(id, { signal });
    return printResult(options, { id, status: 'deleted' }, [`deleted: ${id}`]);
  };
  return onTask(id, { ...options, service: 'passports' }, signal, remove, hint);
}

/** Runs a command on one task; an error for an unknown task, or for an id of another form, has a hint. */
export function onTask(
  id: string,
  options: TaskOptions,
  signal: AbortSignal,
  run: (assay: Assay) => Promise<void>,
  hint = otherServicesHint('task', options.service),
): Promise<void> {
  const { service } = options;
  return runClientCommand(service, options, signal, async ({ url, token, apiKey, ...rest }) => {
    await run(new Assay({ [service]: { url, token, apiKey }, ...rest })).catch((error: unknown) => {
      const isOtherForm = error instanceof ValidationProblem && error.details[0]?.loc[0] === 'path';
      if (!isOtherForm && !(error instanceof TaskNotFound)) throw error;
      throw new OperatorError(onOneLine(`${url} (${service}) has no task ${id} (TASK_NOT_FOUND). ${hint}`));
    });
  });
}
