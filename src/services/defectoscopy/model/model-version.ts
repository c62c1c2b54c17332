import type { Photo } from '../../../ml/image.ts';
import type { Provider } from '../../../ml/thread.ts';
import type { Attachment, Recorded } from '../result.ts';

export interface ModelVersion {
  readonly version: string;
  /** In pixels. */
  readonly input: { readonly width: number; readonly height: number };
  readonly surfaces: readonly string[];
  readonly masters: readonly string[];
  readonly defects: readonly string[];
  readonly provider: Provider;
  /** Transfers the photo's pixel buffer. */
  infer(photo: Photo, signal: AbortSignal): Promise<{ recorded: Recorded; attachment: Attachment }>;
}
