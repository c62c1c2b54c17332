import { Assay, type ModelList } from '../client/index.ts';
import { printResult, runClientCommand } from './client-command.ts';
import type { ServerOptions } from './resolve-server.ts';
import { onOneLine } from './terminal.ts';

export interface PhotoModelsOptions extends ServerOptions {
  readonly json?: boolean;
}

/** `assay models photos`: lists the model versions of a defectoscopy service with their accuracy. */
export function listPhotoModels(options: PhotoModelsOptions, signal: AbortSignal): Promise<void> {
  return runClientCommand('defectoscopy', options, signal, async ({ url, token, ...clientOptions }) => {
    const { defectoscopy } = new Assay({ defectoscopy: { url, token }, ...clientOptions });
    const list = await defectoscopy.models({ signal });
    if (list.models.length === 0) console.error('No worker has started yet.');
    if (list.models.length > 0 || options.json) await printResult(options, list, linesOf(list));
  });
}

type Change = (service: Assay['defectoscopy'], signal: AbortSignal) => Promise<ModelList>;

const changeModels = (options: PhotoModelsOptions, signal: AbortSignal, change: Change): Promise<void> =>
  runClientCommand('defectoscopy', options, signal, async ({ url, token, ...clientOptions }) => {
    const { defectoscopy } = new Assay({ defectoscopy: { url, token }, ...clientOptions });
    const list = await change(defectoscopy, signal);
    const { default: usual = 'the newest shipped version', shadow = 'none' } = list;
    await printResult(options, list, [onOneLine(`default: ${usual}  shadow: ${shadow}`)]);
  });

/** `assay models promote VERSION` */
export const promoteModel = (version: string, options: PhotoModelsOptions, signal: AbortSignal): Promise<void> =>
  changeModels(options, signal, (service) => service.promoteModel(version, { signal }));

/** `assay models shadow VERSION|off` */
export const shadowModel = (version: string, options: PhotoModelsOptions, signal: AbortSignal): Promise<void> =>
  changeModels(options, signal, (service) => service.setShadowModel(version === 'off' ? null : version, { signal }));

/** `assay models rollback` */
export const rollBackModel = (options: PhotoModelsOptions, signal: AbortSignal): Promise<void> =>
  changeModels(options, signal, async (service) => {
    const { default: usual = '-' } = await service.models({ signal });
    return service.rollBackModel(usual, { signal });
  });

const linesOf = ({ models, default: usual, shadow }: ModelList): string[] =>
  models.map(({ version, details }) => {
    const figures = Object.entries(details?.figures ?? {}).map(
      ([head, { accuracy, images, split }]) => `${head} ${(100 * accuracy).toFixed(1)} % (${split} images: ${images})`,
    );
    const notes = [
      ...(version === usual ? ['default'] : []),
      ...(version === shadow ? ['shadow'] : []),
      ...(details?.kind === 'anomaly' ? ['deviations'] : []),
      ...figures,
    ];
    return onOneLine([version, ...notes].join('  '));
  });
