import { Assay, type TranscriptFormat } from '../client/index.ts';
import { type ErrandOptions, onErrand, tell } from './errand.ts';
import { givenSource } from './given-file.ts';
import { recordingLines } from './result-lines.ts';
import { whileWaiting } from './waiting.ts';

export interface TranscribeOptions extends ErrandOptions {
  readonly language?: string;
  readonly format?: TranscriptFormat | 'json';
}

/** `assay transcribe FILE|URL`: transcribes a recording. */
export function transcribeCommand(source: string, options: TranscribeOptions, signal: AbortSignal): Promise<void> {
  return onErrand('stt', options, signal, async ({ url, token, ...clientOptions }) => {
    const { stt } = new Assay({ stt: { url, token }, ...clientOptions });
    const { language, format } = options;
    const audio = await givenSource(source);
    const task = await stt.transcribe(audio, { language, signal });
    if (!options.wait) return tell(options, task, [`${task.task_id}  ${task.status}`]);
    const done = await whileWaiting((onState) => stt.wait(task, { onState, signal }), {
      estimateSeconds: task.estimated_wait_seconds,
    });
    if (format === 'json') return tell({ ...options, json: true }, done.result, []);
    if (format === undefined) return tell(options, done, recordingLines(done));
    return tell(options, done, [await stt.transcript(task.task_id, format, { signal })]);
  });
}
