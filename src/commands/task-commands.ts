import { Assay, type DoneRecording, type Stt, type TranscriptFormat } from '../client/index.ts';
import {
  type ClientCommandOptions,
  type Created,
  groupingOf,
  printResult,
  RETRIES,
  runClientCommand,
} from './client-command.ts';
import { openInputSource, readVocabularyFile } from './local-files.ts';
import { withProgress } from './progress.ts';
import { photoLines, recordingLines } from './result-lines.ts';
import { withTaskEnds } from './task-ends.ts';

export interface PredictOptions extends ClientCommandOptions {
  readonly priority?: 'realtime' | 'batch';
  readonly modelVersion?: string;
  readonly inspect?: 'auto' | 'whole' | 'overview';
}

/** `assay predict FILE|URL`: classifies the surface and its defects on a photo. */
export function predictCommand(source: string, flags: PredictOptions, signal: AbortSignal): Promise<void> {
  const created: Created = { noun: 'task', ids: [] };
  const options = { ...flags, created };
  return runClientCommand('defectoscopy', options, signal, async ({ url, token, ...clientOptions }) => {
    const { defectoscopy } = new Assay({ defectoscopy: { url, token }, ...clientOptions, retries: RETRIES });
    const { priority, modelVersion, inspect } = options;
    const request = { priority, modelVersion, inspect, ...groupingOf(options), signal };
    const { data, name: fileName } = await openInputSource(source);
    const create = async () => addTask(created, await defectoscopy.predict(data, { ...request, fileName }));
    if (!options.wait) return printTask(options, await create());
    const done = await withTaskEnds(defectoscopy, { ...clientOptions, signal }, async (endOf) => {
      const task = await create();
      const ended = endOf(task.task_id);
      return withProgress((onState) => defectoscopy.wait(task, { onState, ended, signal }), estimateOf(task));
    });
    return printResult(options, done, photoLines(done.result));
  });
}

export interface TranscribeOptions extends ClientCommandOptions {
  readonly language?: string;
  readonly vocabulary?: string;
  readonly format?: TranscriptFormat | 'json';
}

/** `assay transcribe FILE|URL`: transcribes a recording. */
export function transcribeCommand(source: string, flags: TranscribeOptions, signal: AbortSignal): Promise<void> {
  const created: Created = { noun: 'task', ids: [] };
  const options = { ...flags, created };
  return runClientCommand('stt', options, signal, async ({ url, token, ...clientOptions }) => {
    const { stt } = new Assay({ stt: { url, token }, ...clientOptions, retries: RETRIES });
    const { language } = options;
    const vocabulary = await readVocabularyFile(options.vocabulary);
    const request = { language, vocabulary, ...groupingOf(options), signal };
    const { data, name: fileName } = await openInputSource(source);
    const create = async () => addTask(created, await stt.transcribe(data, { ...request, fileName }));
    if (!options.wait) return printTask(options, await create());
    const done = await withTaskEnds(stt, { ...clientOptions, signal }, async (endOf) => {
      const task = await create();
      const ended = endOf(task.task_id);
      return withProgress((onState) => stt.wait(task, { onState, ended, signal }), estimateOf(task));
    });
    return printRecording(stt, done, options, signal);
  });
}

/** In the format of the options. */
export async function printRecording(
  stt: Stt,
  done: DoneRecording,
  { format, ...options }: Omit<TranscribeOptions, 'wait'>,
  signal: AbortSignal,
): Promise<void> {
  if (format === 'json') return printResult({ ...options, json: true }, done.result, []);
  if (format === undefined) return printResult(options, done, recordingLines(done));
  return printResult(options, done, [await stt.transcript(done.task_id, format, { signal })]);
}

function addTask<Task extends { readonly task_id: string }>({ ids }: Created, task: Task): Task {
  ids.push(task.task_id);
  return task;
}

const printTask = (options: ClientCommandOptions, task: { task_id: string }) =>
  printResult(options, task, [task.task_id]);

const estimateOf = (task: { estimated_wait_seconds: number }) => ({ estimateSeconds: task.estimated_wait_seconds });
