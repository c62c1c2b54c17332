import { AudioError } from '../audio-error.ts';
import type { Header } from '../header.ts';
import type { FileReader } from './file-reader.ts';

/** AMR and AMR-WB (RFC 4867 §5): 20 ms frames whose first byte gives their length. */
export async function readAmr(bytes: FileReader): Promise<Header> {
  const head = await bytes.read(0, 16);
  const wide = head.toString('latin1', 0, 9) === '#!AMR-WB\n';
  const start = wide ? 9 : 6;
  const frame = (wide ? WIDEBAND_FRAME_BYTES : NARROWBAND_FRAME_BYTES)[((head[start] ?? 0xff) >> 3) & 15];
  if (head.length <= start || frame === undefined) throw new AudioError('corrupt', 'The AMR file has no audio.');
  const seconds = ((bytes.size - start) / frame) * 0.02;
  return { sampleRate: wide ? 16_000 : 8000, channels: 1, duration: { seconds, isExact: false } };
}

// Frame bytes per mode, including the first byte.
const NARROWBAND_FRAME_BYTES = [13, 14, 16, 18, 20, 21, 27, 32, 6];
const WIDEBAND_FRAME_BYTES = [18, 24, 33, 37, 41, 47, 51, 59, 61, 6];
