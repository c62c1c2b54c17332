import { Compile } from 'typebox/compile';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { OperatorError } from '../../base/operator-error.ts';
import type { Values } from '../../base/settings.ts';
import { step } from '../../base/trace.ts';
import { watchDevice } from '../../ml/device.ts';
import { openModelDirectory } from '../../ml/model-directory.ts';
import { TaskFailure } from '../../tasks/task.ts';
import type { Model, ModelContext, SharedSettings } from '../shared/service.ts';
import { Classification } from './api-schema.ts';
import { FAILURES } from './failures.ts';
import { describeVersion } from './model/describe-version.ts';
import type { ModelVersion } from './model/model-version.ts';
import { openPhoto } from './model/photo.ts';
import { BUNDLED_MODELS_DIR, newestBundledVersion, trainedModelsDir } from './model/registry.ts';
import { openModelVersions, POOL_SIZE } from './model/versions.ts';
import type { PredictInput, Recorded, WorkerInfo } from './result.ts';
import type { settings } from './settings.ts';
import { imagePolicy } from './url-policy.ts';

/** Other versions are loaded on first use. */
export async function loadModel(deps: {
  context: Pick<ModelContext, 'fetch' | 'files' | 'log'>;
  serviceSettings: Values<typeof settings>;
  shared: SharedSettings;
  shipped?: string;
}): Promise<Model> {
  const { context, serviceSettings, shared, shipped = BUNDLED_MODELS_DIR } = deps;
  const { fetch, files, log } = context;
  const shelf = await openModelDirectory([shipped, trainedModelsDir(shared.dataDir)], (folder, err) =>
    log.warn({ err, folder }, 'invalid model version'),
  );
  const versions = openModelVersions(shelf, serviceSettings.devices);
  const defaultVersion = await versions.get(
    serviceSettings.modelVersion ?? newestBundledVersion(shelf, shipped).version,
  );
  if (!defaultVersion) {
    shelf.close();
    throw new OperatorError(
      `The model version ${serviceSettings.modelVersion} (DEFECTOSCOPY_MODEL_VERSION) is not installed.`,
    );
  }
  const source = { fetch, files, policy: imagePolicy(serviceSettings, shared), filesHost: shared.filesHost };
  const device = await watchDevice(defaultVersion.provider);
  const info = (): WorkerInfo => {
    const { name, usedMb, totalMb } = device.now();
    return {
      model_version: defaultVersion.version,
      classes: { defects: defaultVersion.defects, surfaces: defaultVersion.surfaces },
      gpu: { name, vram_used_mb: usedMb, vram_total_mb: totalMb },
    };
  };

  return {
    info: () => info() as unknown as JsonObject,
    versions: () => shelf.versions().map(describeVersion),
    // While some photos are computed, others are downloaded or decoded and results are committed together.
    concurrency: POOL_SIZE * 4,
    timeLimitMs: 60_000,

    async run({ input, signal }) {
      const { image_url, model_version } = input as unknown as PredictInput;
      const version = model_version === undefined ? defaultVersion : await versions.get(model_version);
      if (!version) throw new TaskFailure(FAILURES.unknownModel);
      const photo = await openPhoto(image_url, version.input, source, signal);
      const { recorded, attachment } = await step('infer', () => version.infer(photo, signal));
      assertValid(recorded, version);
      return { result: recorded as unknown as JsonValue, attachment: attachment as unknown as JsonValue };
    },

    async close() {
      shelf.close();
      device.close();
      await versions.close();
    },
  };
}

const isClassification = Compile(Classification);

/** A broken network must fail the task instead of storing NaN. */
function assertValid(recorded: Recorded, version: ModelVersion): void {
  const hasKnownNames =
    version.surfaces.includes(recorded.surface) &&
    recorded.masters.every(({ name }) => version.masters.includes(name)) &&
    recorded.defects.every(({ name }) => version.defects.includes(name));
  if (!hasKnownNames || !isClassification.Check(recorded)) {
    throw new Error(`Version ${version.version} returned an invalid classification: ${JSON.stringify(recorded)}`);
  }
}
