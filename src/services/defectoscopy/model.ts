import { existsSync } from 'node:fs';
import { join } from 'node:path';
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
import { openDeployedVersions } from './model/deployed-versions.ts';
import { describeVersion } from './model/describe-version.ts';
import { createInspector, sizeForTiles } from './model/inspector.ts';
import { type Classified, infer, type ModelVersion, sharesRuns } from './model/model-version.ts';
import { downloadPhoto, openPhoto } from './model/photo.ts';
import { describePicture } from './model/picture-features.ts';
import { newestShippedVersion, SHIPPED_MODELS_DIR, trainedModelsDir } from './model/registry.ts';
import { createShadow } from './model/shadow.ts';
import { openModelVersions, POOL_SIZE } from './model/versions.ts';
import type { PredictInput, Recorded, WorkerInfo } from './result.ts';
import type { settings } from './settings.ts';
import { createTrainingWorker } from './training/training-worker.ts';
import { imagePolicy } from './url-policy.ts';

/** Other versions are loaded on first use. */
export async function loadModel(deps: {
  context: Pick<ModelContext, 'db' | 'fetch' | 'files' | 'log'>;
  serviceSettings: Values<typeof settings>;
  shared: SharedSettings;
  shipped?: string;
}): Promise<Model> {
  const { context, serviceSettings, shared, shipped = SHIPPED_MODELS_DIR } = deps;
  const { db, fetch, files, log } = context;
  const models = await openModelDirectory([shipped, trainedModelsDir(shared.dataDir)], (folder, err) =>
    log.warn({ err, folder }, 'invalid model version'),
  );
  const versions = openModelVersions(models, serviceSettings.devices);
  const training = createTrainingWorker({ db, models, dataDir: shared.dataDir, shipped, log });
  const { modelVersion } = serviceSettings;
  /** Another worker may have trained it, and this one may not have installed it yet. */
  const getVersion = async (name: string, install = training.install) =>
    (await versions.get(name)) ?? ((await install(name)) ? await versions.get(name) : undefined);
  const open = async () => {
    const newest = newestShippedVersion(models, shipped).version;
    const pinned = modelVersion === undefined ? undefined : await getVersion(modelVersion);
    if (modelVersion !== undefined && !pinned) {
      throw new OperatorError(`The model version ${modelVersion} (DEFECTOSCOPY_MODEL_VERSION) is not installed.`);
    }
    const { install } = training;
    return { newest, deployed: await openDeployedVersions({ db, versions, pinned, shipped: newest, install, log }) };
  };
  const { newest, deployed } = await open().catch(async (error: unknown) => {
    models.close();
    await versions.close();
    throw error;
  });
  const shadowing = createShadow({ db, log });
  const inspector = createInspector();
  const findVersion = async (name: string): Promise<ModelVersion> => {
    const version = await getVersion(name, () =>
      training.install(name).catch((cause: unknown) => {
        throw new TaskFailure(FAILURES.unknownModel, { transient: true, cause });
      }),
    );
    if (!version) throw new TaskFailure(FAILURES.unknownModel, { transient: true });
    return version;
  };
  const source = { fetch, files, policy: imagePolicy(serviceSettings, shared), filesHost: shared.filesHost };
  const device = await watchDevice(deployed.defaultVersion().network.provider);
  const info = (): WorkerInfo => {
    const { name, usedMb, totalMb } = device.now();
    const { version, defects, surfaces } = deployed.defaultVersion();
    return {
      model_version: version,
      classes: { defects, surfaces },
      gpu: { name, vram_used_mb: usedMb, vram_total_mb: totalMb },
      shipped: newest,
      pinned: modelVersion !== undefined,
      versions: models.versions().map(({ version }) => version),
      networks: models
        .versions()
        .filter(({ folder }) => existsSync(join(folder, 'backbone.onnx')))
        .map(({ manifest }) => manifest.files['backbone.onnx'].sha256),
      problems: deployed.problems(),
    };
  };

  return {
    info: () => info() as unknown as JsonObject,
    versions: () => models.versions().map(describeVersion),
    // While some photos are computed, others are downloaded or decoded and results are committed together.
    concurrency: POOL_SIZE * 4,
    timeLimitMs: 60_000,

    async refresh() {
      await Promise.all([deployed.refresh(), shadowing.write(), training.refresh()]);
    },

    async run(job) {
      const { id, input, signal } = job;
      const { image_url, model_version, inspect = 'auto', search = false } = input as unknown as PredictInput;
      const version = model_version === undefined ? deployed.defaultVersion() : await findVersion(model_version);
      const shadow = model_version === undefined && !search ? deployed.shadow() : undefined;
      const bytes = await downloadPhoto(image_url, source, signal);
      const photo = await openPhoto(bytes, version.input, signal);
      const again = shadow && shadowing.isDue(version, shadow) ? bytes : undefined;
      const sharing = shadow && sharesRuns(version, shadow) ? shadow : undefined;
      const overview = await step('infer', () => infer(version, photo, signal, sharing));
      const { recorded, shadowDefect } = overview;
      assertValid(recorded, version);
      if (search)
        return { ...outcomeOf(overview), attachment: await describePicture(bytes, overview.attachment, signal) };
      if (shadow && shadowDefect !== undefined) shadowing.add(id, shadow, shadowDefect, recorded);
      if (shadow && again) shadowing.compare(id, shadow, again, recorded);
      const size = sizeForTiles(inspect, photo, recorded);
      if (!size) return outcomeOf(overview);
      const whole = await inspector.inspect(version, { bytes, size, overview, inspect }, job);
      assertValid(whole.recorded, version);
      return outcomeOf(whole);
    },

    async close() {
      models.close();
      device.close();
      await training.close().catch(() => {});
      await shadowing.write().catch(() => {});
      await versions.close();
    },
  };
}

const outcomeOf = ({ recorded, attachment }: Classified) => ({
  result: recorded as unknown as JsonValue,
  attachment: attachment as unknown as JsonValue,
});

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
