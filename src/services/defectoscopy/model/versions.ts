import { availableParallelism } from 'node:os';
import { type Head, probabilities, scores, topLabel } from '../../../ml/classifier.ts';
import { packVector } from '../../../ml/compact-vector.ts';
import { type Familiarity, familiarityOf, UNFAMILIAR_BELOW } from '../../../ml/familiarity.ts';
import { parseFamiliarity } from '../../../ml/familiarity-json.ts';
import { type Heads, parseHeads } from '../../../ml/heads.ts';
import { type InstalledVersion, type ModelDirectory, readVerifiedFile } from '../../../ml/model-directory.ts';
import type { Provider } from '../../../ml/network.ts';
import { parsePatches } from '../../../ml/patches-json.ts';
import { openSession, type Session } from '../../../ml/session.ts';
import { shareHead, shareStatistics } from '../../../ml/shared-heads.ts';
import type { Tensor, Tensors } from '../../../ml/tensor.ts';
import type { Recorded } from '../result.ts';
import { createAnomalyVersion } from './anomaly-version.ts';
import type { ModelVersion } from './model-version.ts';

export interface ModelVersions {
  /** Loads a version on first use; undefined if it is not installed. */
  get(version: string): Promise<ModelVersion | undefined>;
  close(): Promise<void>;
}

/** Parallel runs: one per core, up to the four libuv threads that decode images. */
export const POOL_SIZE = Math.min(4, availableParallelism());

/** Uses the first available provider. Versions with the same backbone share its session. */
export function openModelVersions(models: ModelDirectory, providers: readonly Provider[] = ['cpu']): ModelVersions {
  const sessions = createCache<Session>();
  const loaded = createCache<ModelVersion>();

  const load = async (installed: InstalledVersion): Promise<ModelVersion> => {
    const { bytes } = await readVerifiedFile(installed, 'heads.json');
    const heads = parseHeads(bytes.toString('utf8'));
    const session = await sessions.get(installed.manifest.files['backbone.onnx'].sha256, async () => {
      const { path } = await readVerifiedFile(installed, 'backbone.onnx', models.versions());
      return openSession({ path, poolSize: POOL_SIZE, providers });
    });
    if (installed.manifest.files['patches.json']) {
      const { bytes: patches } = await readVerifiedFile(installed, 'patches.json');
      const detector = parsePatches(patches.toString('utf8'), heads.mapChannels);
      return createAnomalyVersion(installed, heads, detector, session);
    }
    return createVersion(installed, heads, await readFamiliarity(installed, heads.features), session);
  };

  return {
    async get(version) {
      const findInstalled = () => models.versions().find((installed) => installed.version === version);
      if (!findInstalled()) await models.refresh();
      const installed = findInstalled();
      if (!installed) return undefined;
      // By content hash: a version may be replaced under the same name.
      const key = `${version} ${JSON.stringify(installed.manifest.files)}`;
      return loaded.get(key, () => load(installed));
    },
    close: () => sessions.each((session) => session.close()),
  };
}

function createVersion(
  { version, manifest }: InstalledVersion,
  { heads, mapChannels }: Heads,
  familiarity: Familiarity | undefined,
  session: Session,
): ModelVersion {
  const { surface, masters, defects } = heads;
  if (!surface || !masters || !defects) throw new Error(`Version ${version} lacks one of its three heads.`);
  const { input, taxonomy, thresholds } = manifest;
  const isDefect = (name: string) => name !== taxonomy.sound;
  // The default threshold is 0.5.
  const reachesThreshold = ({ name, conf }: { name: string; conf: number }) =>
    isDefect(name) && conf >= (thresholds.defects[name] ?? 0.5);

  const readout = {
    heads: {
      surface: shareHead(surface),
      masters: shareHead(masters, mapChannels),
      defects: shareHead(defects, mapChannels),
    },
    statistics: familiarity && shareStatistics(familiarity.statistics),
    withFeatures: true,
  };

  const listed = (outputs: Tensors) =>
    scores(defects.labels, probabilities(defects, outputs['defects']!.data as Float64Array)).filter(reachesThreshold);

  return {
    version,
    input,
    surfaces: surface.labels,
    masters: masters.labels,
    defects: defects.labels.filter(isDefect),
    network: session,
    readout,
    tiles: { heads: { masters: readout.heads.masters, defects: readout.heads.defects }, sound: taxonomy.sound },
    mainDefect: {
      readout: { heads: { defects: shareHead(defects) } },
      read: (outputs) => listed(outputs)[0]?.name ?? '',
    },

    classify(outputs) {
      const probabilitiesOf = (name: keyof typeof readout.heads) =>
        probabilities(heads[name]!, outputs[name]!.data as Float64Array);
      const recorded = {
        surface: topLabel(surface.labels, probabilitiesOf('surface')),
        masters: scores(masters.labels, probabilitiesOf('masters')),
        defects: listed(outputs),
        ...(familiarity && familiarityFields(familiarity, outputs['distance']!.data as Float64Array)),
        model_version: version,
      };
      const [, height, width] = outputs['masters.maps']!.dims as [number, number, number];
      const mapsOf = ({ labels }: Head, { data }: Tensor) => {
        const bytes = Buffer.from(data.buffer);
        const cells = width * height;
        return labels.map((name, k) => [name, bytes.toString('base64', k * cells, (k + 1) * cells)] as const);
      };
      const defectMaps = mapsOf(defects, outputs['defects.maps']!).filter(([name]) => isDefect(name));
      // A defect takes precedence over a group with the same name.
      const maps = Object.fromEntries([...mapsOf(masters, outputs['masters.maps']!), ...defectMaps]);
      const values = packVector(outputs['features']!.data as Float32Array).toString('base64');
      const training = { network: manifest.files['backbone.onnx'].sha256, features: values };
      return { recorded, attachment: { width, height, maps, training } };
    },
  };
}

async function readFamiliarity(installed: InstalledVersion, features: number): Promise<Familiarity | undefined> {
  if (!installed.manifest.files['familiarity.json']) return undefined;
  const { bytes } = await readVerifiedFile(installed, 'familiarity.json');
  return parseFamiliarity(bytes.toString('utf8'), features);
}

function familiarityFields(
  { distances }: Familiarity,
  [distance]: Float64Array,
): Pick<Recorded, 'familiarity' | 'warnings'> {
  const familiarity = familiarityOf(distances, distance!);
  return { familiarity, ...(familiarity < UNFAMILIAR_BELOW && { warnings: ['UNFAMILIAR_IMAGE'] }) };
}

/** Caches by key. A failed value is created again on the next request. */
function createCache<T>() {
  const cache = new Map<string, Promise<T>>();
  return {
    get(key: string, make: () => Promise<T>): Promise<T> {
      let value = cache.get(key);
      if (!value) {
        value = make();
        cache.set(key, value);
        value.catch(() => cache.delete(key));
      }
      return value;
    },
    async each(use: (value: T) => Promise<void>): Promise<void> {
      await Promise.all([...cache.values()].map((value) => value.then(use, () => {})));
    },
  };
}
