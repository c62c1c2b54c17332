import { Assay, type ModelList } from '../client/index.ts';
import { onOneLine, printResult, runClientCommand } from './client-command.ts';
import type { ServerOptions } from './resolve-server.ts';

export interface PhotoModelsOptions extends ServerOptions {
  readonly json?: boolean;
}

/** `assay models photos`: lists the model versions of a defectoscopy service with their accuracy. */
export function listPhotoModels(options: PhotoModelsOptions, signal: AbortSignal): Promise<void> {
  return runClientCommand('defectoscopy', options, signal, async ({ url, token, ...clientOptions }) => {
    const { defectoscopy } = new Assay({ defectoscopy: { url, token }, ...clientOptions });
    const list = await defectoscopy.models({ signal });
    await printResult(options, list, list.models.length === 0 ? ['No worker has started yet.'] : linesOf(list));
  });
}

const linesOf = ({ models, default: usual }: ModelList): string[] =>
  models.map(({ version, details }) => {
    const figures = Object.entries(details?.figures ?? {}).map(
      ([head, { accuracy, images, split }]) => `${head} ${(100 * accuracy).toFixed(1)} % of ${images} ${split} images`,
    );
    const notes = [
      ...(version === usual ? ['default'] : []),
      ...(details?.kind === 'anomaly' ? ['deviations'] : []),
      ...figures,
    ];
    return onOneLine([version, ...notes].join('  '));
  });
