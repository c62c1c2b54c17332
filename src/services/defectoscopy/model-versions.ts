import { availableParallelism } from 'node:os';
import { activationMaps, classify, type Head, scores, top } from '../../ml/classifier.ts';
import { type Heads, parseHeads } from '../../ml/heads.ts';
import type { Photo } from '../../ml/image.ts';
import { openSession, type Session } from '../../ml/session.ts';
import { type Installed, type Shelf, verifiedFile } from '../../ml/weights.ts';
import type { Heatmaps, Recorded } from './result.ts';

/** A model version, ready to look at photos. */
export interface ModelVersion {
  readonly version: string;
  /** What a photo must be squashed to, in pixels. */
  readonly input: { readonly width: number; readonly height: number };
  readonly surfaces: readonly string[];
  readonly masters: readonly string[];
  readonly defects: readonly string[];
  /** What it sees. The photo's pixels are given away. */
  look(photo: Photo, signal: AbortSignal): Promise<{ recorded: Recorded; heatmaps: Heatmaps }>;
}

export interface ModelVersions {
  /** The version of this name, loaded when it is first asked for; undefined when none is installed. */
  get(version: string): Promise<ModelVersion | undefined>;
  close(): Promise<void>;
}

/** Runs at once: a thread for each core, but decoding (four threads of libuv) cannot feed more than four. */
export const POOL_SIZE = Math.min(4, availableParallelism());

/** Loads model versions; those with the same backbone share it. */
export function openVersions(shelf: Shelf): ModelVersions {
  const sessions = createCache<Session>();
  const loaded = createCache<ModelVersion>();

  const load = async (installed: Installed): Promise<ModelVersion> => {
    const { bytes } = await verifiedFile(installed, 'heads.json');
    const heads = parseHeads(bytes.toString('utf8'));
    const session = await sessions.get(installed.manifest.files['backbone.onnx'].sha256, async () => {
      const { path } = await verifiedFile(installed, 'backbone.onnx', shelf.versions());
      return openSession({ path, poolSize: POOL_SIZE });
    });
    return createVersion(installed, heads, session);
  };

  return {
    async get(version) {
      const find = () => shelf.versions().find((installed) => installed.version === version);
      if (!find()) await shelf.look();
      const installed = find();
      if (!installed) return undefined;
      // By its bytes, not its name: a version may be taken away and another one be put in its place.
      const key = `${version} ${installed.manifest.files['heads.json'].sha256}`;
      return loaded.get(key, () => load(installed));
    },
    close: () => sessions.each((session) => session.close()),
  };
}

function createVersion(
  { version, manifest }: Installed,
  { heads, mapChannels }: Heads,
  session: Session,
): ModelVersion {
  const { surface, masters, defects } = heads;
  if (!surface || !masters || !defects) throw new Error(`Version ${version} lacks one of its three heads.`);
  const { input, taxonomy, thresholds } = manifest;
  const isDefect = (name: string) => name !== taxonomy.sound;
  // A class without a threshold of its own is listed when it is likelier than not.
  const isListed = ({ name, conf }: { name: string; conf: number }) =>
    isDefect(name) && conf >= (thresholds.defects[name] ?? 0.5);

  return {
    version,
    input,
    surfaces: surface.labels,
    masters: masters.labels,
    defects: defects.labels.filter(isDefect),

    async look({ pixels }, signal) {
      const { features, map } = await session.run(
        { image: { type: 'uint8', dims: [1, input.height, input.width, 3], data: pixels } },
        signal,
      );
      const values = features!.data as Float32Array;
      const recorded = {
        surface: top(surface.labels, classify(surface, values)),
        masters: scores(masters.labels, classify(masters, values)),
        defects: scores(defects.labels, classify(defects, values)).filter(isListed),
        model_version: version,
      };
      const [, , height, width] = map!.dims as [number, number, number, number];
      const mapsOf = (head: Head) => {
        const maps = activationMaps(head, map!.data as Float32Array, mapChannels);
        return head.labels.map((name, k) => [name, Buffer.from(maps[k]!).toString('base64')] as const);
      };
      // Where a group and a defect have the same name, the defect is meant.
      const maps = Object.fromEntries([...mapsOf(masters), ...mapsOf(defects).filter(([name]) => isDefect(name))]);
      return { recorded, heatmaps: { width, height, maps } };
    },
  };
}

/** What takes long to make, made once for each key; what failed to be made is tried again when next asked for. */
function createCache<T>() {
  const made = new Map<string, Promise<T>>();
  return {
    get(key: string, make: () => Promise<T>): Promise<T> {
      let value = made.get(key);
      if (!value) {
        value = make();
        made.set(key, value);
        value.catch(() => made.delete(key));
      }
      return value;
    },
    async each(use: (value: T) => Promise<void>): Promise<void> {
      await Promise.all([...made.values()].map((value) => value.then(use, () => {})));
    },
  };
}
