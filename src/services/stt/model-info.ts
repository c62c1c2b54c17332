/** Published with the worker's heartbeat. */
export interface WorkerInfo {
  /** Of the first provider. */
  readonly model: string;
  readonly providers: readonly { readonly name: string; readonly model: string }[];
}
