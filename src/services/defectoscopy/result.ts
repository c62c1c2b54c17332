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
