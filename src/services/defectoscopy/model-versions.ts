import { availableParallelism } from 'node:os';
import { type Head, probabilities, scores, top } from '../../ml/classifier.ts';
import { type Heads, parseHeads } from '../../ml/heads.ts';
import type { Photo } from '../../ml/image.ts';
import { shareHead } from '../../ml/readout.ts';
import { openSession, type Session } from '../../ml/session.ts';
import type { Tensor } from '../../ml/tensor.ts';
import type { Provider } from '../../ml/thread.ts';
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
  /** What it computes on. */
  readonly provider: Provider;
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

/** Loads model versions, onto the first of `providers` that the machine has; those with the same backbone share it. */
export function openVersions(shelf: Shelf, providers: readonly Provider[] = ['cpu']): ModelVersions {
  const sessions = createCache<Session>();
  const loaded = createCache<ModelVersion>();

  const load = async (installed: Installed): Promise<ModelVersion> => {
    const { bytes } = await verifiedFile(installed, 'heads.json');
    const heads = parseHeads(bytes.toString('utf8'));
    const session = await sessions.get(installed.manifest.files['backbone.onnx'].sha256, async () => {
      const { path } = await verifiedFile(installed, 'backbone.onnx', shelf.versions());
      return openSession({ path, poolSize: POOL_SIZE, providers });
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

  const readout = {
    surface: shareHead(surface),
    masters: shareHead(masters, mapChannels),
    defects: shareHead(defects, mapChannels),
  };

  return {
    version,
    input,
    surfaces: surface.labels,
    masters: masters.labels,
    defects: defects.labels.filter(isDefect),
    provider: session.provider,

    async look({ pixels }, signal) {
      const image = { type: 'uint8', dims: [1, input.height, input.width, 3], data: pixels } as const;
      const seen = await session.run({ image }, signal, readout);
      const chances = (name: keyof typeof readout) => probabilities(heads[name]!, seen[name]!.data as Float64Array);
      const recorded = {
        surface: top(surface.labels, chances('surface')),
        masters: scores(masters.labels, chances('masters')),
        defects: scores(defects.labels, chances('defects')).filter(isListed),
        model_version: version,
      };
      const [, height, width] = seen['masters.maps']!.dims as [number, number, number];
      const mapsOf = ({ labels }: Head, { data }: Tensor) => {
        const bytes = Buffer.from(data.buffer);
        const cells = width * height;
        return labels.map((name, k) => [name, bytes.toString('base64', k * cells, (k + 1) * cells)] as const);
      };
      const ofDefects = mapsOf(defects, seen['defects.maps']!).filter(([name]) => isDefect(name));
      // Where a group and a defect have the same name, the defect is meant.
      const maps = Object.fromEntries([...mapsOf(masters, seen['masters.maps']!), ...ofDefects]);
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
