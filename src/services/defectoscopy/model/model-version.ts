import type { Photo } from '../../../ml/image.ts';
import type { Session } from '../../../ml/session.ts';
import { ADDED, type Readout, type SharedHead } from '../../../ml/shared-heads.ts';
import type { Tensors } from '../../../ml/tensor.ts';
import type { Attachment, Recorded } from '../result.ts';

export interface ModelVersion {
  readonly version: string;
  /** In pixels. */
  readonly input: { readonly width: number; readonly height: number };
  readonly surfaces: readonly string[];
  readonly masters: readonly string[];
  readonly defects: readonly string[];
  /** Shared by versions with the same backbone. */
  readonly network: Session;
  readonly readout: Readout;
  /** The classification from the outputs of `readout`. */
  classify(outputs: Tensors): Classified;
  /** Absent if the version cannot analyse tiles. */
  readonly tiles?: TileHeads;
  /** The cheapest readout with the main defect, and the defect from its outputs; empty for none. */
  readonly mainDefect: { readonly readout: Readout; read(outputs: Tensors): string };
}

export interface TileHeads {
  readonly heads: { readonly masters: SharedHead; readonly defects: SharedHead };
  readonly sound: string;
}

export interface Classified {
  readonly recorded: Recorded;
  readonly attachment: Attachment;
}

/** Whether both versions classify a photo with one run of the network. */
export const sharesRuns = (a: ModelVersion, b: ModelVersion): boolean =>
  a.network === b.network && a.input.width === b.input.width && a.input.height === b.input.height;

/** Transfers the photo's pixel buffer. `shadow` must share runs; its main defect is undefined if it fails. */
export async function infer(
  { input, network, readout, classify }: ModelVersion,
  { pixels, width, height }: Photo,
  signal: AbortSignal,
  shadow?: ModelVersion,
): Promise<Classified & { readonly shadowDefect?: string | undefined }> {
  const image = { type: 'uint8', dims: [1, input.height, input.width, 3], data: pixels } as const;
  const outputs = await network.run({ image }, signal, { ...readout, added: shadow?.mainDefect.readout });
  const classified = classify(outputs);
  const isSeen = Math.min(width, height) >= LEAST_SIDE;
  return { ...(isSeen ? classified : asUnfamiliar(classified)), shadowDefect: shadow && readAdded(shadow, outputs) };
}

/** In pixels; no class can be recognised on a smaller photo, although it can resemble a plain surface. */
const LEAST_SIDE = 32;

function asUnfamiliar({ recorded, attachment }: Classified): Classified {
  const { familiarity, model_version, ...rest } = recorded;
  const least = familiarity === undefined ? {} : { familiarity: 0 };
  return { recorded: { ...rest, ...least, warnings: ['UNFAMILIAR_IMAGE'], model_version }, attachment };
}

function readAdded({ mainDefect }: ModelVersion, outputs: Tensors): string | undefined {
  const added = Object.entries(outputs).flatMap(([name, tensor]) =>
    name.startsWith(ADDED) ? [[name.slice(ADDED.length), tensor] as const] : [],
  );
  return added.length === 0 ? undefined : mainDefect.read(Object.fromEntries(added));
}
