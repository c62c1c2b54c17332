/** A figure of the shipped version and of the new one; absent without photos. */
export interface Change {
  readonly before?: number;
  readonly after?: number;
}

export interface Comparison {
  readonly photos: number;
  readonly accuracy: Change;
  readonly classes: readonly {
    readonly name: string;
    readonly photos: number;
    readonly recall: Change;
    readonly precision: Change;
  }[];
}

/** Compares the shipped version with one that was trained on corrections; stored and sent as it is. */
export interface TrainingReport {
  readonly base: string;
  readonly photos: { readonly training: number; readonly held_back: number };
  readonly heads: readonly { readonly head: string; readonly held_back: Comparison; readonly test: Comparison }[];
}
