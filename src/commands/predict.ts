import { Assay } from '../client/index.ts';
import { type ClientCommandOptions, printResult, runClientCommand } from './client-command.ts';
import { openInputSource } from './local-files.ts';
import { withProgress } from './progress.ts';
import { photoLines } from './result-lines.ts';

export interface PredictOptions extends ClientCommandOptions {
  readonly priority?: 'realtime' | 'batch';
  readonly modelVersion?: string;
}

/** `assay predict FILE|URL`: classifies the surface and its defects on a photo. */
export function predictCommand(source: string, options: PredictOptions, signal: AbortSignal): Promise<void> {
  return runClientCommand('defectoscopy', options, signal, async ({ url, token, ...clientOptions }) => {
    const { defectoscopy } = new Assay({ defectoscopy: { url, token }, ...clientOptions });
    const { priority, modelVersion } = options;
    const image = await openInputSource(source);
    const task = await defectoscopy.predict(image, { priority, modelVersion, signal });
    if (!options.wait) return printResult(options, task, [`${task.task_id}  ${task.status}`]);
    const done = await withProgress((onState) => defectoscopy.wait(task, { onState, signal }), {
      estimateSeconds: task.estimated_wait_seconds,
    });
    return printResult(options, done, photoLines(done.result));
  });
}
