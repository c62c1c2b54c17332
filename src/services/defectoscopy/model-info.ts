/** What a worker's heartbeat says of its model, of the default version. */
export interface WorkerInfo {
  readonly model_version: string;
  readonly classes: { readonly defects: readonly string[]; readonly surfaces: readonly string[] };
  readonly gpu: { readonly name: string; readonly vram_used_mb: number; readonly vram_total_mb: number };
}
