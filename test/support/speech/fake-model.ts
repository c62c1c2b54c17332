import type { Model } from '../../../src/services/shared/service.ts';
import type { Recorded } from '../../../src/services/stt/result.ts';

export const TRANSCRIPT: Recorded = {
  transcription: 'The north wall shows a crack.',
  service: 'local',
  language: 'en',
  duration_seconds: 2.4,
  segments: [{ start: 0.3, end: 2.1, text: 'The north wall shows a crack.' }],
  words: ['The', 'north', 'wall', 'shows', 'a', 'crack.'].map((text, index) => ({
    start: 0.3 + index * 0.3,
    end: 0.6 + index * 0.3,
    text,
  })),
};

/** A speech model that returns TRANSCRIPT immediately unless `over` replaces `run`. */
export function createFakeSpeechModel(over: Partial<Model> = {}): Model {
  return {
    info: () => ({ model: 'whisper-base', providers: [{ name: 'local', model: 'whisper-base' }] }),
    versions: () => [],
    concurrency: 1,
    timeLimitMs: 60_000,
    run: async () => ({ result: TRANSCRIPT as never }),
    close: async () => {},
    ...over,
  };
}

export function createSilence(seconds = 1): Buffer {
  const bytes = seconds * 32_000;
  return Buffer.concat([wavHead({ rate: 16_000, bytesPerSample: 2, bytes }), Buffer.alloc(bytes)]);
}

/** The head of a WAV file with one channel of PCM. */
export function wavHead(sound: { rate: number; bytesPerSample: 1 | 2; bytes: number }): Buffer {
  const { rate, bytesPerSample, bytes } = sound;
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + bytes, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * bytesPerSample, 28);
  head.writeUInt16LE(bytesPerSample, 32);
  head.writeUInt16LE(8 * bytesPerSample, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(bytes, 40);
  return head;
}
