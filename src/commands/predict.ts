import { Assay } from '../client/index.ts';
import { type ErrandOptions, onErrand, tell } from './errand.ts';
import { givenSource } from './given-file.ts';
import { photoLines } from './result-lines.ts';
import { whileWaiting } from './waiting.ts';

export interface PredictOptions extends ErrandOptions {
  readonly priority?: 'realtime' | 'batch';
  readonly modelVersion?: string;
}

/** `assay predict FILE|URL`: classifies the surface and its defects on a photo. */
export function predictCommand(source: string, options: PredictOptions, signal: AbortSignal): Promise<void> {
  return onErrand('defectoscopy', options, signal, async ({ url, token, ...clientOptions }) => {
    const { defectoscopy } = new Assay({ defectoscopy: { url, token }, ...clientOptions });
    const { priority, modelVersion } = options;
    const image = await givenSource(source);
    const task = await defectoscopy.predict(image, { priority, modelVersion, signal });
    if (!options.wait) return tell(options, task, [`${task.task_id}  ${task.status}`]);
    const done = await whileWaiting((onState) => defectoscopy.wait(task, { onState, signal }), {
      estimateSeconds: task.estimated_wait_seconds,
    });
    return tell(options, done, photoLines(done.result));
  });
}
