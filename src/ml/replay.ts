import { type Static, Type } from 'typebox';
import { type Head, logitsOf } from './classifier.ts';
import { packVector, unpackVector } from './compact-vector.ts';
import { dot, type FeatureStatistics } from './familiarity.ts';
import { fromBase64, toBase64 } from './float-base64.ts';
import { parseJson } from './parse-json.ts';

/** The photos of a version's training in few coordinates, so that later trainings keep what the version knows of them. */
export interface Replay {
  readonly projection: Projection;
  /** Training and validation photos. */
  readonly known: ReplayPhotos;
  readonly test: ReplayPhotos & { readonly targets: Readonly<Record<string, Uint8Array>> };
}

/** Principal components of the standardized features. */
export type Projection = Omit<FeatureStatistics, 'noise'>;

export interface ReplayPhotos {
  readonly count: number;
  /** [N, D] See {@link coordinatesOf}. */
  readonly points: Float32Array;
  /** [N, K] Calibrated logits by head. */
  readonly logits: Readonly<Record<string, Float32Array>>;
}

/** [D] Along the principal components, in standard deviations. */
export function coordinatesOf(projection: Projection, features: Float32Array): Float32Array {
  const { mean, scale, components, variances } = projection;
  const point = features.map((value, d) => (value - mean[d]!) / scale[d]!);
  return Float32Array.from(variances, (variance, k) => dot(components, k * mean.length, point) / Math.sqrt(variance));
}

export const calibratedLogits = (head: Head, features: Float32Array): Float32Array =>
  Float32Array.from(logitsOf(head, features), (logit) => logit / head.temperature);

const Base64 = Type.String();
const PhotosJson = Type.Object({
  count: Type.Integer({ minimum: 1 }),
  /** int8 multiples of `POINT_STEP`. */
  points: Base64,
  /** `packVector` by head. */
  logits: Type.Record(Type.String(), Base64),
});
const ReplayJson = Type.Object({
  format: Type.Literal(1),
  /** Little-endian float32. */
  mean: Base64,
  scale: Base64,
  variances: Base64,
  /** int8 multiples of `COMPONENT_STEP`. */
  components: Base64,
  known: PhotosJson,
  test: Type.Object({
    ...PhotosJson.properties,
    /** The class of each photo by head, a byte each. */
    targets: Type.Record(Type.String(), Base64),
  }),
});

/** In standard deviations: reaches to ±6.35. */
const POINT_STEP = 0.05;
/** Of unit vectors in 2048 dimensions: reaches to ±0.25. Larger values are cut, for old and new photos alike. */
const COMPONENT_STEP = 0.002;

/** Parses the `replay.json` of a version with these heads. */
export function parseReplay(text: string, heads: Readonly<Record<string, Head>>): Replay {
  const json = parseJson(ReplayJson, text, 'replay.json');
  const variances = fromBase64(json.variances);
  const [mean, scale] = [fromBase64(json.mean), fromBase64(json.scale)];
  const components = fromInt8(json.components, COMPONENT_STEP);
  const photosOf = ({ count, points, logits }: Static<typeof PhotosJson>): ReplayPhotos => {
    const photos = {
      count,
      points: fromInt8(points, POINT_STEP),
      logits: Object.fromEntries(
        Object.entries(logits).map(([name, packed]) => [name, unpackVector(Buffer.from(packed, 'base64'))]),
      ),
    };
    const fits = Object.entries(heads).every(
      ([name, { labels }]) => photos.logits[name]?.length === count * labels.length,
    );
    if (!fits || photos.points.length !== count * variances.length)
      throw new Error('replay.json does not match the heads of its version.');
    return photos;
  };
  const targets = Object.entries(json.test.targets).map(
    ([name, bytes]) => [name, new Uint8Array(Buffer.from(bytes, 'base64'))] as const,
  );
  const isComplete =
    scale.length === mean.length &&
    components.length === variances.length * mean.length &&
    targets.every(([, classes]) => classes.length === json.test.count);
  if (!isComplete) throw new Error('replay.json has values of the wrong number.');
  return {
    projection: { mean, scale, variances, components },
    known: photosOf(json.known),
    test: { ...photosOf(json.test), targets: Object.fromEntries(targets) },
  };
}

interface LabelledPhoto {
  readonly features: Float32Array;
  readonly isTest: boolean;
  /** By head. */
  readonly labels: Readonly<Record<string, string>>;
}

/** The `replay.json` of a version with these heads. */
export function writeReplay(
  photos: readonly LabelledPhoto[],
  heads: Readonly<Record<string, Head>>,
  { mean, scale, components, variances }: Projection,
): string {
  const rounded = toInt8(components, COMPONENT_STEP);
  const projection = { mean, scale, variances, components: fromInt8(rounded, COMPONENT_STEP) };
  const byHead = (value: (head: Head, name: string) => string) =>
    Object.fromEntries(Object.entries(heads).map(([name, head]) => [name, value(head, name)]));
  const photosOf = (chosen: readonly LabelledPhoto[]): Static<typeof PhotosJson> => ({
    count: chosen.length,
    points: toInt8(joinRows(chosen.map(({ features }) => coordinatesOf(projection, features))), POINT_STEP),
    logits: byHead((head) =>
      packVector(joinRows(chosen.map(({ features }) => calibratedLogits(head, features)))).toString('base64'),
    ),
  });
  const test = photos.filter(({ isTest }) => isTest);
  const json: Static<typeof ReplayJson> = {
    ...{ format: 1, mean: toBase64(mean), scale: toBase64(scale), variances: toBase64(variances), components: rounded },
    known: photosOf(photos.filter(({ isTest }) => !isTest)),
    test: {
      ...photosOf(test),
      targets: byHead(({ labels: classes }, name) =>
        Buffer.from(test.map(({ labels }) => classes.indexOf(labels[name]!))).toString('base64'),
      ),
    },
  };
  return `${JSON.stringify(json)}\n`;
}

export function joinRows(rows: readonly Float32Array[]): Float32Array {
  const columns = rows[0]?.length ?? 0;
  const matrix = new Float32Array(rows.length * columns);
  for (const [n, row] of rows.entries()) matrix.set(row, n * columns);
  return matrix;
}

const fromInt8 = (base64: string, step: number) =>
  Float32Array.from(new Int8Array(Buffer.from(base64, 'base64')), (multiple) => multiple * step);

const toInt8 = (values: Float32Array, step: number) =>
  Buffer.from(
    Int8Array.from(values, (value) => Math.max(-127, Math.min(127, Math.round(value / step)))).buffer,
  ).toString('base64');
