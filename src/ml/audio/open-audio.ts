import { open } from 'node:fs/promises';
import { type AudioType, SNIFFED_BYTES, sniffAudio } from '../../base/sniff-audio.ts';
import { decodeWithFfmpeg, hasFfmpeg } from './decode-ffmpeg.ts';
import { AudioRefused } from './refused.ts';
import { SAMPLE_RATE } from './sound.ts';

export { type AudioProblem, AudioRefused } from './refused.ts';

export interface Audio {
  readonly format: AudioType;
  readonly durationSeconds: number | undefined;
  pieces(options: { fromSeconds?: number; signal: AbortSignal }): AsyncIterable<Float32Array>;
}

export async function openAudio(
  path: string,
  options: { signal: AbortSignal; maxSeconds: number; decoder?: 'ffmpeg' | 'wasm' },
): Promise<Audio> {
  const file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(SNIFFED_BYTES), 0, SNIFFED_BYTES, 0);
  await file.close();
  const type = sniffAudio(buffer.subarray(0, bytesRead));
  if (!type) throw new AudioRefused('unsupported', 'The file is no recording of a known kind.');
  await hasFfmpeg();
  return {
    format: type,
    durationSeconds: undefined,
    async *pieces({ fromSeconds = 0, signal }) {
      let skip = Math.round(fromSeconds * SAMPLE_RATE);
      for await (const piece of decodeWithFfmpeg(path, { type, maxSeconds: options.maxSeconds, signal })) {
        const from = Math.min(skip, piece.length);
        skip -= from;
        if (from < piece.length) yield piece.subarray(from);
      }
    },
  };
}
