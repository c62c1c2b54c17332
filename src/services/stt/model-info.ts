/** What a worker's heartbeat says of its engines. */
export interface WorkerInfo {
  /** Of the one that is tried first. */
  readonly model: string;
  readonly providers: readonly { readonly name: string; readonly model: string }[];
}
