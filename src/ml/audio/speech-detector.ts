import pLimit from 'p-limit';
import { startThread } from '../../base/worker-entry.ts';
import { verifiedPackageFile } from '../package-file.ts';
import { createPersistentThread } from '../persistent-thread.ts';
import { FRAME_SAMPLES } from './audio-constants.ts';
import type { Detection, DetectorRequest, Memory } from './detector-thread.ts';

/** Voice activity detection for any number of concurrent recordings. */
export type SpeechDetector = Awaited<ReturnType<typeof openSpeechDetector>>;

/**
 * Opens Silero VAD version 6 (MIT, from an npm package) in a thread. Throws an OperatorError if the file is missing or
 * damaged.
 */
export async function openSpeechDetector() {
  const { bytes: network } = await verifiedPackageFile(NETWORK, SHA256);
  const start = () => startThread('./detector-thread', import.meta.url, { workerData: network });
  // Each request carries the state, so a new thread can continue.
  const thread = createPersistentThread(start, 'the speech detector');
  const oneAtATime = pLimit(1);
  let closed = false;
  const request = (samples: Float32Array, memory: Memory | undefined) =>
    oneAtATime(() => {
      if (closed) throw new Error('The speech detector was closed.');
      // Copied: transferring a view would move its whole buffer.
      const owned = samples.slice();
      return thread.request<Detection>({ samples: owned, memory } satisfies DetectorRequest, [owned.buffer]);
    });
  const close = async () => {
    closed = true;
    await thread.close();
  };
  // Fails at startup, not with the first recording.
  await request(new Float32Array(FRAME_SAMPLES), undefined).catch(async (error: unknown) => {
    await close();
    throw error;
  });

  return {
    createStream() {
      let memory: Memory | undefined;
      return {
        /**
         * Returns the speech probability (0..1) of each 512-sample frame. `samples` (16 kHz) hold whole frames and
         * continue the previous call.
         */
        async detect(samples: Float32Array): Promise<Float32Array> {
          const detection = await request(samples, memory);
          memory = detection.memory;
          return detection.probabilities;
        },
      };
    },
    close,
  };
}

const NETWORK = '@ricky0123/vad-web/dist/silero_vad_v6.onnx';
const SHA256 = '1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3';
