/** A class and its confidence, 0..1 with at most four decimals. */
export interface Scored {
  readonly name: string;
  readonly conf: number;
}

/** The stored result. `masters` and `defects` are sorted by confidence, then name. */
export interface Recorded {
  readonly surface: string;
  readonly masters: readonly Scored[];
  readonly defects: readonly Scored[];
  readonly model_version: string;
}

/**
 * Splits a stored result into the client's result and the model version, as JSON text. The model writes the version
 * last, so parsing is only a fallback.
 */
export function parted(recorded: string): { result: string; version: string } {
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
 * 0..1).
 */
export interface Heatmaps {
  readonly width: number;
  readonly height: number;
  readonly maps: Readonly<Record<string, string>>;
}

/** The task input stored by `POST /predict`. */
export interface PredictInput {
  readonly image_url: string;
  readonly model_version?: string;
}
