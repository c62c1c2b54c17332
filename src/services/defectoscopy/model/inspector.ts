import pLimit from 'p-limit';
import { step } from '../../../base/trace.ts';
import { scores, softmax } from '../../../ml/classifier.ts';
import type { Photo } from '../../../ml/image.ts';
import type { Readout } from '../../../ml/shared-heads.ts';
import { argmax, type Tensor, type Tensors, unstack } from '../../../ml/tensor.ts';
import { unlessAborted } from '../../../ml/unless-aborted.ts';
import type { Job } from '../../shared/service.ts';
import type { Inspect, Recorded, Region } from '../result.ts';
import type { Classified, ModelVersion, TileHeads } from './model-version.ts';
import { openPhoto } from './photo.ts';
import { doubtfulTiles, findRegions, joinMaps, type TileScores, tileConfidences } from './regions.ts';
import { cutCloser, cutTiles, type Tile, tileBatches } from './tiles.ts';
import { POOL_SIZE } from './versions.ts';

/** With `auto`, smaller photos are analysed in overview only: cameras have 8 megapixels and more. */
const LEAST_PIXELS = 4e6;
/** With `auto`, larger photos are reduced: the time of any photo is bounded. */
const MOST_PIXELS = 16e6;

/**
 * The size in which the tiles of a photo are analysed; undefined for its overview only. With `auto`, a familiar photo with a
 * defect is a close-up, whose tiles would be magnified.
 */
export function sizeForTiles(inspect: Inspect, { width, height }: Size, overview: Recorded): Size | undefined {
  if (inspect !== 'auto') return inspect === 'whole' ? { width, height } : undefined;
  const pixels = width * height;
  if (pixels < LEAST_PIXELS || (overview.defects.length > 0 && !overview.warnings)) return undefined;
  const scale = Math.min(1, Math.sqrt(MOST_PIXELS / pixels));
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}

/** Analyses photos in tiles, one photo at a time: 48 megapixels take 144 MB. */
export function createInspector() {
  const oneAtATime = pLimit(1);
  return {
    /** Adds the regions of the photo to its overview. `whole` also adds their defects, with groups and heatmaps of the tiles. */
    async inspect(
      version: ModelVersion,
      photo: ClassifiedPhoto,
      { signal, setWaiting }: Pick<Job, 'signal' | 'setWaiting'>,
    ): Promise<Classified> {
      signal.throwIfAborted();
      const { tiles, input } = version;
      if (!tiles || photo.size.width < input.width || photo.size.height < input.height) return photo.overview;
      let queued: ClassifiedPhoto | undefined = photo;
      // An aborted attempt keeps its place in the queue, but not the bytes of its photo.
      const release = () => {
        queued = undefined;
      };
      signal.addEventListener('abort', release, { once: true });
      const inspected = oneAtATime(async () => {
        signal.throwIfAborted();
        setWaiting?.(false);
        const { bytes, size, overview, inspect } = queued!;
        const { pixels } = await openPhoto(bytes, size, signal);
        const decoded = { pixels, ...size };
        const read = await step('tiles', () => readTiles(version, tiles, decoded, signal));
        const confidences = tileConfidences(read.defects, tiles.sound);
        const regions = findRegions(read.tiles, read.defects, confidences, decoded);
        const shown = withRegions(overview, regions);
        if (inspect !== 'whole') return shown;
        return merge(shown, regions, { read, confidences, sound: tiles.sound, photo: decoded });
      }).finally(() => signal.removeEventListener('abort', release));
      if (oneAtATime.pendingCount > 0) setWaiting?.(true);
      return unlessAborted(inspected, signal);
    },
  };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

interface ClassifiedPhoto {
  readonly bytes: Buffer;
  /** For its tiles. */
  readonly size: Size;
  readonly overview: Classified;
  readonly inspect: Inspect;
}

interface ReadTiles {
  readonly tiles: readonly Tile[];
  readonly masters: TileScores;
  readonly defects: TileScores;
}

/**
 * Doubtful tiles are also seen closer; their logits are the means of all views. One batch per thread at a time: photos of other
 * tasks wait for a batch at most.
 */
export async function readTiles(
  { network, input }: ModelVersion,
  { heads, sound }: TileHeads,
  photo: Photo,
  signal: AbortSignal,
): Promise<ReadTiles> {
  const run = async (image: Tensor, readout: Readout) => {
    signal.throwIfAborted();
    return unstack(await network.run({ image }, signal, readout), image.dims[0]!);
  };
  const batches = tileBatches(photo, input);
  const tiles = batches.flat();
  const outputs = await pLimit(POOL_SIZE).map(batches, (batch) => run(cutTiles(photo, batch), { heads }));
  const views = outputs.flat().map((tile) => [tile]);
  const scoresOf = (name: keyof typeof heads): TileScores => {
    const { labels, temperature } = heads[name];
    const logitOf = (view: Tensors, k: number) => (view[name]!.data[k] as number) / temperature;
    const meanOf = (seen: readonly Tensors[], k: number) =>
      seen.reduce((sum, view) => sum + logitOf(view, k), 0) / seen.length;
    return {
      labels,
      logits: views.map((seen) => Float64Array.from(labels, (_, k) => meanOf(seen, k))),
      maps: views.map(([tile]) => tile![`${name}.maps`]!.data as Uint8Array),
    };
  };
  const { closer, once } = doubtfulTiles(tileConfidences(scoresOf('defects'), sound));
  const withoutMaps = { masters: { ...heads.masters, channels: 0 }, defects: { ...heads.defects, channels: 0 } };
  await pLimit(POOL_SIZE).map(closer, async (i) => {
    views[i]!.push(...(await run(await cutCloser(photo, tiles[i]!), { heads: withoutMaps })));
  });
  return { tiles, masters: scoresOf('masters'), defects: { ...scoresOf('defects'), seenOnce: new Set(once) } };
}

function withRegions({ recorded, attachment }: Classified, regions: readonly Region[]): Classified {
  const { model_version, ...rest } = recorded;
  return { recorded: { ...rest, regions, model_version }, attachment };
}

/** A class has its highest confidence in overview and regions. The maps of the tiles replace those of the overview. */
function merge(
  { recorded, attachment }: Classified,
  regions: readonly Region[],
  tiled: { read: ReadTiles; confidences: readonly Float64Array[]; sound: string; photo: Photo },
): Classified {
  const { confidences, sound, photo } = tiled;
  const { tiles, masters, defects } = tiled.read;
  const highest = new Map(recorded.defects.map(({ name, conf }) => [name, conf]));
  for (const { defect, confidence } of regions) highest.set(defect, Math.max(confidence, highest.get(defect) ?? 0));
  const merged = Array.from(highest, ([name, conf]) => ({ name, conf })).sort(
    (a, b) => b.conf - a.conf || (a.name < b.name ? -1 : 1),
  );
  // The groups of an overview without defects would contradict the regions.
  const strongest = argmax(confidences.map((tile) => Math.max(...tile)));
  const groups =
    recorded.defects.length === 0 && regions.length > 0
      ? scores(masters.labels, softmax(masters.logits[strongest]!))
      : recorded.masters;
  const joined = joinMaps(tiles, defects, confidences, photo);
  const ofGroups = joinMaps(tiles, masters, tileConfidences(masters, sound), photo);
  const bytes: Record<string, Uint8Array> = { ...ofGroups.maps, ...joined.maps };
  const maps = Object.keys(attachment.maps).map((name) => [name, Buffer.from(bytes[name]!).toString('base64')]);
  const { width, height } = joined;
  const { training, ...rest } = attachment;
  // The features of the overview would train the heads on a defect that it does not show.
  const withTraining = training && merged.length === recorded.defects.length;
  return {
    recorded: { ...recorded, masters: groups, defects: merged },
    attachment: { ...rest, width, height, maps: Object.fromEntries(maps), ...(withTraining && { training }) },
  };
}
