import { Assay, type TranscriptFormat } from '../client/index.ts';
import { type ClientCommandOptions, printResult, runClientCommand } from './client-command.ts';
import { openInputSource } from './local-files.ts';
import { withProgress } from './progress.ts';
import { recordingLines } from './result-lines.ts';

export interface TranscribeOptions extends ClientCommandOptions {
  readonly language?: string;
  readonly format?: TranscriptFormat | 'json';
}

/** `assay transcribe FILE|URL`: transcribes a recording. */
export function transcribeCommand(source: string, options: TranscribeOptions, signal: AbortSignal): Promise<void> {
  return runClientCommand('stt', options, signal, async ({ url, token, ...clientOptions }) => {
    const { stt } = new Assay({ stt: { url, token }, ...clientOptions });
    const { language, format } = options;
    const audio = await openInputSource(source);
    const task = await stt.transcribe(audio, { language, signal });
    if (!options.wait) return printResult(options, task, [`${task.task_id}  ${task.status}`]);
    const done = await withProgress((onState) => stt.wait(task, { onState, signal }), {
      estimateSeconds: task.estimated_wait_seconds,
    });
    if (format === 'json') return printResult({ ...options, json: true }, done.result, []);
    if (format === undefined) return printResult(options, done, recordingLines(done));
    return printResult(options, done, [await stt.transcript(task.task_id, format, { signal })]);
  });
}
