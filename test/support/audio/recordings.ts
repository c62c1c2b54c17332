import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SAMPLE_RATE } from '../../../src/ml/audio/audio-constants.ts';

/**
 * Four seconds of espeak-ng: "The north wall is dry. The floor is cracked in two places." `flac` is lossless (12 kHz),
 * `mp4` has video.
 */
export const VOICES = ['flac', 'mp3', 'm4a', 'mp4', 'aac', 'ogg', 'opus', 'webm', 'amr'] as const;
export type Voice = (typeof VOICES)[number];

export const voicePath = (voice: Voice): string => fileURLToPath(new URL(`voice.${voice}`, import.meta.url));
export const voiceBytes = (voice: Voice): Buffer => readFileSync(voicePath(voice));

export async function scratch(): Promise<{
  write(name: string, bytes: Uint8Array): Promise<string>;
  remove(): Promise<void>;
}> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-audio-'));
  return {
    async write(name, bytes) {
      const path = join(folder, name);
      await writeFile(path, bytes);
      return path;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

export interface WavOptions {
  readonly rate?: number;
  readonly channels?: number;
  /** Of each channel; by default 1. */
  readonly gains?: readonly number[];
  readonly bits?: 8 | 16 | 24 | 32;
  readonly float?: boolean;
  readonly claims?: { size?: number; rate?: number; channels?: number; bits?: number; block?: number; tag?: number };
}

export function wav(samples: ArrayLike<number>, options: WavOptions = {}): Buffer {
  const { rate = SAMPLE_RATE, channels = 1, gains = [], bits = 16, float = false, claims = {} } = options;
  const width = bits / 8;
  const data = Buffer.alloc(samples.length * channels * width);
  for (let i = 0; i < samples.length; i++) {
    for (let channel = 0; channel < channels; channel++) {
      put(samples[i]! * (gains[channel] ?? 1), (i * channels + channel) * width);
    }
  }
  const block = claims.block ?? channels * width;
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + data.length, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(claims.tag ?? (float ? 3 : 1), 20);
  head.writeUInt16LE(claims.channels ?? channels, 22);
  head.writeUInt32LE(claims.rate ?? rate, 24);
  head.writeUInt32LE(rate * channels * width, 28);
  head.writeUInt16LE(block, 32);
  head.writeUInt16LE(claims.bits ?? bits, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(claims.size ?? data.length, 40);
  return Buffer.concat([head, data]);

  function put(value: number, at: number) {
    if (float) data.writeFloatLE(value, at);
    else if (bits === 8) data.writeUInt8(Math.round(value * 127) + 128, at);
    else data.writeIntLE(Math.round(value * (2 ** (bits - 1) - 1)), at, width);
  }
}

/** Three tones in the telephone band, as loud as speech. */
export function tones(seconds: number, rate: number): Float32Array {
  return Float32Array.from({ length: Math.round(seconds * rate) }, (_, i) => {
    const t = i / rate;
    return (
      0.2 * (Math.sin(2 * Math.PI * 440 * t) + Math.sin(2 * Math.PI * 1234 * t) + Math.sin(2 * Math.PI * 3100 * t))
    );
  });
}

export async function join16k(pieces: AsyncIterable<Float32Array>): Promise<Float32Array> {
  const all: Float32Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return concatenate(...all);
}

export function concatenate(...pieces: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

export const isSame = (a: Float32Array, b: Float32Array): boolean =>
  a.length === b.length && a.every((value, i) => value === b[i]);

export const silence = (seconds: number): Float32Array => new Float32Array(Math.round(seconds * SAMPLE_RATE));

export function noise(samples: number, seed = 1): Float32Array {
  let state = seed;
  return Float32Array.from({ length: samples }, () => {
    state = (state * 16_807) % 2_147_483_647;
    return (state / 2_147_483_647) * 2 - 1;
  });
}
