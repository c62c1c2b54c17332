/** 0..1 with at most four decimals. */
export interface Scored {
  readonly name: string;
  readonly conf: number;
}

export type Warning = 'UNFAMILIAR_IMAGE';

/** A defect found in the tiles of a photo. */
export interface Region {
  /** Of the upright photo, 0..1. */
  readonly box: readonly [x0: number, y0: number, x1: number, y1: number];
  readonly defect: string;
  readonly confidence: number;
}

/** `masters` and `defects` are sorted by confidence, then name. */
export interface Recorded {
  readonly surface: string;
  readonly masters: readonly Scored[];
  readonly defects: readonly Scored[];
  /** Absent without statistics of the training photos. */
  readonly familiarity?: number;
  readonly warnings?: readonly Warning[];
  /** Highest confidence first. Absent if the photo was analysed in overview only. */
  readonly regions?: readonly Region[];
  readonly model_version: string;
}

/**
 * Splits a stored result into the client's result and the model version, as JSON text. The model writes the version
 * last, so parsing is only a fallback.
 */
export function splitResult(recorded: string): { result: string; version: string } {
  // Quotes inside strings are escaped, so this match is a key, and the rest is the end of the object.
  const at = recorded.lastIndexOf(VERSION);
  const version = recorded.slice(at + VERSION.length, -1);
  if (at > 0 && PLAIN.test(version)) return { result: `${recorded.slice(0, at)}}`, version };
  const { model_version, ...result } = JSON.parse(recorded) as Recorded;
  return { result: JSON.stringify(result), version: JSON.stringify(model_version) };
}

const VERSION = ',"model_version":';
const PLAIN = /^"[^"\\]*"$/;

/**
 * The attachment of a result: per class an activation map of the upright image, row by row, as base64 bytes (0..255 for
 * 0..1), and what a later training needs of the photo.
 */
export interface Attachment {
  readonly width: number;
  readonly height: number;
  readonly maps: Readonly<Record<string, string>>;
  /**
   * `features`: base64 of `packVector`; `network`: the SHA-256 of the network that computed them. Absent if the result has a
   * defect that only the tiles show.
   */
  readonly training?: { readonly network: string; readonly features: string };
}

/** `auto` (default) and `whole` also analyse the tiles of a photo; only `whole` merges their defects. */
export type Inspect = 'auto' | 'whole' | 'overview';

export interface PredictInput {
  readonly image_url: string;
  readonly file_name?: string;
  readonly inspect?: Inspect;
  readonly model_version?: string;
  /** A search by a picture: the attachment has its features, and the result no record. */
  readonly search?: true;
}

/** Published with the worker's heartbeat. `model_version` and `classes` are of the default version. */
export interface WorkerInfo {
  readonly model_version: string;
  readonly classes: { readonly defects: readonly string[]; readonly surfaces: readonly string[] };
  readonly gpu: { readonly name: string; readonly vram_used_mb: number; readonly vram_total_mb: number };
  /** The newest shipped version: the default without a setting or a promotion. */
  readonly shipped: string;
  /** DEFECTOSCOPY_MODEL_VERSION sets the default. */
  readonly pinned: boolean;
  /** The installed versions. */
  readonly versions: readonly string[];
  /** SHA-256 of the installed networks: the folders of trained versions have none. */
  readonly networks: readonly string[];
  /** By the promoted or shadow version that this worker cannot use. */
  readonly problems: Readonly<Record<string, VersionProblem>>;
}

export type VersionProblem = 'not_installed' | 'not_loadable';
