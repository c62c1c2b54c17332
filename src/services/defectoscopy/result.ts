/** A class and how sure the model is of it, 0..1 with at most four decimals. */
export interface Scored {
  readonly name: string;
  readonly conf: number;
}

/** What is recorded for a finished photo. `masters` and `defects` are sorted by confidence, then name. */
export interface Recorded {
  readonly surface: string;
  readonly masters: readonly Scored[];
  readonly defects: readonly Scored[];
  readonly model_version: string;
}

/**
 * The result as clients get it and the version that made it, both as JSON text. The model writes the version last, so that
 * nothing has to be parsed; a result that looks otherwise is.
 */
export function parted(recorded: string): { result: string; version: string } {
  // A quote inside a string has a backslash before it, so this is a key; and what follows it is the end of the whole.
  const at = recorded.lastIndexOf(VERSION);
  const version = recorded.slice(at + VERSION.length, -1);
  if (at > 0 && PLAIN.test(version)) return { result: `${recorded.slice(0, at)}}`, version };
  const { model_version, ...result } = JSON.parse(recorded) as Recorded;
  return { result: JSON.stringify(result), version: JSON.stringify(model_version) };
}

const VERSION = ',"model_version":';
const PLAIN = /^"[^"\\]*"$/;

/**
 * Kept beside the result: for each class its activation map over the upright image, row by row, as bytes (0..255 for
 * 0..1) in base64.
 */
export interface Heatmaps {
  readonly width: number;
  readonly height: number;
  readonly maps: Readonly<Record<string, string>>;
}

/** The job as `POST /predict` writes it down. */
export interface PredictInput {
  readonly image_url: string;
  readonly model_version?: string;
}
