import { Compile } from 'typebox/compile';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { OperatorError } from '../../base/operator-error.ts';
import type { Values } from '../../base/settings.ts';
import { step } from '../../base/trace.ts';
import { watchDevice } from '../../ml/device.ts';
import { openShelf } from '../../ml/weights.ts';
import { TaskFailure } from '../../tasks/task.ts';
import type { Model, ModelHouse, SharedSettings } from '../service.ts';
import { FAILURES } from './failures.ts';
import { imagePolicy } from './image-policy.ts';
import type { WorkerInfo } from './model-info.ts';
import { openPhoto } from './model-photo.ts';
import { newestShipped, SHIPPED, trainedIn } from './model-shelf.ts';
import { type ModelVersion, openVersions, POOL_SIZE } from './model-versions.ts';
import type { PredictInput, Recorded } from './result.ts';
import { Classification } from './schema.ts';
import type { settings } from './settings.ts';

/** What looks at photos. Another version than the default is loaded when a task first names it. */
export async function loadModel({
  house,
  own,
  shared,
  shipped = SHIPPED,
}: {
  house: Pick<ModelHouse, 'fetch' | 'files' | 'log'>;
  own: Values<typeof settings>;
  shared: SharedSettings;
  shipped?: string;
}): Promise<Model> {
  const { fetch, files, log } = house;
  const shelf = await openShelf([shipped, trainedIn(shared.dataDir)], (folder, err) =>
    log.warn({ err, folder }, 'this folder is no model version'),
  );
  const versions = openVersions(shelf, own.devices);
  const byDefault = await versions.get(own.modelVersion ?? newestShipped(shelf, shipped).version);
  if (!byDefault) {
    shelf.close();
    throw new OperatorError(`The model version ${own.modelVersion} (DEFECTOSCOPY_MODEL_VERSION) is not installed.`);
  }
  const source = { fetch, files, policy: imagePolicy(own, shared), filesHost: shared.filesHost };
  const device = await watchDevice(byDefault.provider);
  const info = (): WorkerInfo => {
    const { name, usedMb, totalMb } = device.now();
    return {
      model_version: byDefault.version,
      classes: { defects: byDefault.defects, surfaces: byDefault.surfaces },
      gpu: { name, vram_used_mb: usedMb, vram_total_mb: totalMb },
    };
  };

  return {
    info: () => info() as unknown as JsonObject,
    versions: () => shelf.versions().map(({ version }) => version),
    // While one photo is computed, others are decoded or downloaded, and finished ones are written down together.
    concurrency: POOL_SIZE * 4,
    timeLimitMs: 60_000,

    async run({ input, signal }) {
      const { image_url, model_version } = input as unknown as PredictInput;
      const version = model_version === undefined ? byDefault : await versions.get(model_version);
      if (!version) throw new TaskFailure(FAILURES.unknownModel);
      const photo = await openPhoto(image_url, version.input, source, signal);
      const { recorded, heatmaps } = await step('infer', () => version.look(photo, signal));
      check(recorded, version);
      return { result: recorded as unknown as JsonValue, attachment: heatmaps as unknown as JsonValue };
    },

    async close() {
      shelf.close();
      device.close();
      await versions.close();
    },
  };
}

const isClassification = Compile(Classification);

/** The last look before it is written down: a broken network must fail the task, not fill it with NaN. */
function check(recorded: Recorded, version: ModelVersion): void {
  const known =
    version.surfaces.includes(recorded.surface) &&
    recorded.masters.every(({ name }) => version.masters.includes(name)) &&
    recorded.defects.every(({ name }) => version.defects.includes(name));
  if (!known || !isClassification.Check(recorded)) {
    throw new Error(`Version ${version.version} gave no valid classification: ${JSON.stringify(recorded)}`);
  }
}
